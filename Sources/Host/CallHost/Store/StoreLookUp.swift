// StoreLookUp: what the store knows of callers, for the core.

import CallModel
import DBus
import EventLoop
import CallWire

/// Asks the store about each incoming call, as long as there is a store. The core does not wait for it beyond its own
/// deadline.
@LoopActor
final class StoreLookUp: CallerLookUp {
    private unowned let store: StoreSupervisor

    /// Longer than any call waits: what comes later is of no use.
    private static let timeout = 2_000

    init(_ store: StoreSupervisor) { self.store = store }

    func lookUp(_ handle: Handle?, for call: CallID, then: @escaping @LoopActor (CallerFacts) -> Void) {
        store.lookUp(handle, timeoutMilliseconds: Self.timeout) { result in
            guard case .success(let wire) = result else { return then(.unanswered) }
            then(Self.facts(wire, about: handle))
        }
    }

    /// What makes no sense is not known.
    private static func facts(_ wire: VariantDictionary, about handle: Handle?) -> CallerFacts {
        var facts = CallerFacts()
        facts.blockedBy = (try? wire.value("blocked-by", as: String.self)) ?? nil
        facts.isAllowed = ((try? wire.value("allowed", as: Bool.self)) ?? nil) ?? false
        facts.isFavorite = ((try? wire.value("favorite", as: Bool.self)) ?? nil) ?? false
        facts.name = (((try? wire.value("name", as: String.self)) ?? nil) ?? "").displayable
        let source = ((try? wire.value("name-source", as: String.self)) ?? nil) ?? ""
        facts.nameSource = facts.name.isEmpty ? .none : CallerNameSource(rawValue: source) ?? .directory
        facts.contact = ((try? wire.value("contact-identifier", as: String.self)) ?? nil) ?? ""
        if let handle, let text = (try? wire.value("normalized", as: String.self)) ?? nil {
            facts.normalized = try? Handle(type: handle.type, value: text)
        }
        return facts
    }
}
