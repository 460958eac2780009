// Objects to test with, as GetManagedObjects would return them.

import CallClient
import CallModel
import DBus

@testable import callctl

enum Sample {
    static let alice = "1a2b3c4d-0000-4000-8000-000000000001"
    static let bob = "1a2bffff-0000-4000-8000-000000000002"
    static let hotline: ObjectPath = "/org/opencallkit/CallSystem1/providers/Hotline"

    static func path(ofCall id: String) -> ObjectPath {
        ObjectPath("\(Contract.callsPath)/\(id.split(separator: "-").joined(separator: "_"))") ?? .root
    }

    static func call(
        _ id: String, _ state: String, can: [String] = [], name: String = "", handle: String = "555",
        more: VariantDictionary = [:]
    ) -> ManagedObjects {
        let call: VariantDictionary = [
            "State": .string(state), "Id": .string(id), "Provider": .objectPath(hotline), "Can": Variant(can),
            "Direction": .string("incoming"),
        ]
        let identity: VariantDictionary = [
            "CallerName": .string(name), "Handle": Variant(Struct("phone-number", handle)),
        ]
        return [
            path(ofCall: id): [
                Contract.call: call.merging(more) { _, new in new }, Contract.callIdentity: identity,
            ]
        ]
    }

    static func provider(_ id: String) -> ManagedObjects {
        let path = ObjectPath("\(Contract.providersPath)/\(id)") ?? .root
        return [path: [Contract.provider: ["Id": .string(id), "State": .string("ready")]]]
    }

    /// A snapshot in which the calls' identities have been read.
    static func snapshot(_ objects: ManagedObjects...) -> Snapshot {
        let all: ManagedObjects = objects.reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
        var snapshot = Snapshot(all)
        for index in snapshot.calls.indices {
            let identity = all[snapshot.calls[index].path]?[Contract.callIdentity] ?? [:]
            snapshot.calls[index].identify(identity)
        }
        return snapshot
    }
}
