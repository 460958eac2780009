// org.opencallkit.Access1: what sandboxed apps may do.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class AccessObject {
    private unowned let clients: Clients

    init(_ clients: Clients) { self.clients = clients }

    static let interface = Interface<AccessObject>(Contract.access) {
        Method("Grant", in: ["app", "tiers"], out: []) {
            (object: AccessObject, context, app: String, tiers: [String]) in
            try object.clients.changeAccess(of: app, tiers, isGranted: true, by: context)
        }
        Method("Revoke", in: ["app", "tiers"], out: []) {
            (object: AccessObject, context, app: String, tiers: [String]) in
            let all = AccessTier.grantable.map(\.rawValue)
            try object.clients.changeAccess(of: app, tiers.isEmpty ? all : tiers, isGranted: false, by: context)
        }
        Method("Apps", out: ["apps"]) { (object: AccessObject, _) -> [String: VariantDictionary] in
            object.clients.apps
        }
        DeferredMethod("HasTier", in: ["client", "tier"], out: ["has"]) {
            (object: AccessObject, invocation: Invocation<Bool>, client: String, tier: String) throws(CallError) in
            guard BusName.isUnique(client) else {
                throw CallError(
                    .invalidArguments, "\"\(client.excerpt)\" is not a unique name, expected one such as :1.42")
            }
            let tiers = try AccessTier.set(of: [tier])
            object.clients.whenIdentified(client) { [weak clients = object.clients] identity in
                invocation.reply(clients?.tiers(of: identity).isSuperset(of: tiers) == true)
            }
        }
    }
}
