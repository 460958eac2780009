// Sighting: one fact about a call in a signal or an answer of the host.

internal import CallModel
internal import DBus
internal import EventLoop

/// A fact about one call.
enum Sighting {
    /// The call has come into being.
    case new(CallID, VariantDictionary)
    case seen(CallID, VariantDictionary)
    case gone(CallID)

    /// - Returns: nil if the signal is not about a call.
    @LoopActor
    init?(_ message: Message) {
        switch message.member {
        case "InterfacesAdded":
            guard let (path, interfaces) = try? message.read(ObjectPath.self, [String: VariantDictionary].self),
                let call = Contract.call(at: path.text), let properties = interfaces[Contract.call]
            else { return nil }
            self = .new(call, properties)
        case "InterfacesRemoved":
            guard let (path, interfaces) = try? message.read(ObjectPath.self, [String].self),
                let call = Contract.call(at: path.text), interfaces.contains(Contract.call)
            else { return nil }
            self = .gone(call)
        case "PropertiesChanged":
            guard let path = message.path, let call = Contract.call(at: path.text),
                let (interface, properties, _) = try? message.read(
                    String.self, VariantDictionary.self, [String].self), interface == Contract.call
            else { return nil }
            self = .seen(call, properties)
        default: return nil
        }
    }

    /// Returns the calls in the answer to GetManagedObjects, oldest first. The identity of callers is left unread.
    @LoopActor
    static func all(in message: Message) -> [Sighting] {
        guard let objects = try? message.read([ObjectPath: [String: VariantDictionary]].self) else { return [] }
        let calls = objects.compactMap { path, interfaces -> (UInt64, CallID, VariantDictionary)? in
            guard let call = Contract.call(at: path.text), let properties = interfaces[Contract.call] else {
                return nil
            }
            return (properties["StartedAt", default: 0], call, properties)
        }
        return calls.sorted { $0.0 < $1.0 }.map { .seen($0.1, $0.2) }
    }
}
