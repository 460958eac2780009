// StoreLookUp: looks callers up in the store for the core.

package import CallModel
import CallWire
import DBus
package import EventLoop

/// Asks the store about each incoming call, as long as there is a store. The core does not wait for it beyond its own
/// deadline.
@LoopActor
final class StoreLookUp: CallerLookUp {
    private unowned let store: StoreSupervisor

    /// Longer than any call waits: a later answer is of no use.
    private static let timeout = Duration.seconds(2)

    init(_ store: StoreSupervisor) { self.store = store }

    func lookUp(_ handle: Handle?, for call: CallID, then: @escaping @LoopActor (CallerFacts) -> Void) {
        store.lookUp(handle, timeout: Self.timeout) { result in
            guard case .success(let wire) = result else { return then(.unanswered) }
            then(Self.facts(wire, about: handle))
        }
    }

    /// Invalid values count as unknown.
    private static func facts(_ wire: VariantDictionary, about handle: Handle?) -> CallerFacts {
        var facts = CallerFacts()
        facts.blockedBy = wire["blocked-by"].flatMap(String.init(inside:))
        facts.isAllowed = wire["allowed", default: false]
        facts.isFavorite = wire["favorite", default: false]
        facts.name = wire["name", default: ""].displayable
        let source: String = wire["name-source", default: ""]
        facts.nameSource = facts.name.isEmpty ? .none : CallerNameSource(rawValue: source) ?? .directory
        facts.contact = wire["contact-identifier", default: ""]
        facts.image = wire["image", default: ""]
        if let handle, let text = wire["normalized"].flatMap(String.init(inside:)) {
            facts.normalized = try? Handle(type: handle.type, value: text)
        }
        return facts
    }
}

/// Answers from memory, and soon: an incoming call waits for it.
@LoopActor
package protocol CallerLookUp: AnyObject {
    /// Hands over once what is known of a caller. Who cannot tell says that the question is unanswered.
    ///
    /// - Parameters:
    ///   - handle: nil if the caller withholds it.
    ///   - call: the call that waits.
    func lookUp(_ handle: Handle?, for call: CallID, then: @escaping @LoopActor (CallerFacts) -> Void)
}
