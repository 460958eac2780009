// Keys of an a{sv} that the contract does not have: the sender misspelled them, or is newer than the daemon.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// The unknown keys that one object was sent, each noted once as the anomaly `unknown-key`.
@LoopActor
struct UnknownKeys {
    private static let maximum = 16
    private var noted: Set<String> = []

    /// - Parameters:
    ///   - known: the keys that the contract has.
    ///   - sender: who sent `wire`, as the anomaly names it.
    mutating func note(
        in wire: VariantDictionary, besides known: Set<String>, from sender: String, _ host: CallSystemHost,
        at object: ObjectPath
    ) {
        for key in wire.keys.sorted() where !known.contains(key) {
            guard noted.count < Self.maximum, noted.insert(key).inserted else { continue }
            host.emitAnomaly(
                "unknown-key", object, "\(sender) sent the unknown key \"\(key.excerpt)\", which is ignored")
        }
    }
}

extension ProviderObject {
    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>) {
        unknownKeys.note(in: wire, besides: known, from: "the provider", host, at: path)
    }
}

extension CallSystemHost {
    /// Notes the unknown keys of a request that came from a client.
    func noteUnknownKeys(in wire: VariantDictionary, besides known: Set<String>) {
        unknownKeys.note(in: wire, besides: known, from: "a client", self, at: .system)
    }

    func noteUnknownKeys(in entries: [TransactionWire.Entry], options: VariantDictionary) {
        for entry in entries {
            let (kind, arguments) = entry.fields
            noteUnknownKeys(in: arguments, besides: TransactionWire.keys(of: kind))
        }
        noteUnknownKeys(in: options, besides: RequestOptions.keys)
    }
}
