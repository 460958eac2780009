// org.opencallkit.Access1: what sandboxed apps may do.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

@LoopActor
final class AccessObject {
    private unowned let host: CallSystemHost

    init(_ host: CallSystemHost) { self.host = host }

    static let interface = Interface<AccessObject>(Contract.access) {
        Method("Grant", in: ["app", "tiers"], out: []) {
            (object: AccessObject, context, app: String, tiers: [String]) in
            try object.host.changeAccess(of: app, tiers, isGranted: true, by: context)
        }
        Method("Revoke", in: ["app", "tiers"], out: []) {
            (object: AccessObject, context, app: String, tiers: [String]) in
            let all = AccessTier.grantable.map(\.rawValue)
            try object.host.changeAccess(of: app, tiers.isEmpty ? all : tiers, isGranted: false, by: context)
        }
        Method("Apps", out: ["apps"]) { (object: AccessObject, _) -> [String: VariantDictionary] in
            object.apps
        }
        DeferredMethod("HasTier", in: ["client", "tier"], out: ["has"]) {
            (object: AccessObject, invocation: Invocation<Bool>, client: String, tier: String) throws(CallError) in
            guard BusName.isUnique(client) else {
                throw CallError(
                    .invalidArguments, "\"\(client.excerpt)\" is not a unique name, expected one such as :1.42")
            }
            let tiers = try AccessTier.set(of: [tier])
            object.host.whenIdentified(client) { [weak host = object.host] identity in
                invocation.reply(host?.tiers(of: identity).isSuperset(of: tiers) == true)
            }
        }
    }

    private var apps: [String: VariantDictionary] {
        let book = host.access
        var apps: [String: VariantDictionary] = [:]
        for app in Set(book.settings.apps.keys).union(book.refusals.keys) {
            var wire: VariantDictionary = ["tiers": Variant(AccessTier.words(of: book.tiers(of: app)))]
            if let refusal = book.refusals[app] {
                wire["refused"] = .string(refusal.text)
                wire["refused-tier"] = .string(refusal.tier.rawValue)
                wire["refused-at"] = .uint64(refusal.date)
            }
            apps[app] = wire
        }
        return apps
    }
}

extension CallSystemHost {
    func loadAccess() { access.settings = accessFile.read() }

    /// Changes the tiers of an app, for all its connections, once that is written. What is revoked is revoked at once even if
    /// it cannot be written.
    fileprivate func changeAccess(
        of app: String, _ words: [String], isGranted: Bool, by context: CallContext
    ) throws(CallError) {
        guard AppID.isValid(app) else {
            throw CallError(
                .invalidArguments,
                "\"\(app.excerpt)\" is not the id of an app, expected 1 to 255 letters, digits, dots, "
                    + "dashes and underscores"
            )
        }
        let tiers = try AccessTier.set(of: words)
        var new = access.settings
        if isGranted { try new.grant(tiers, to: app) } else { new.revoke(tiers, of: app) }
        try accessFile.keep(new, orHold: isGranted ? nil : new) { new in
            let isChange = new != access.settings
            access.settings = new
            guard isChange else { return }
            let after = access.tiers(of: app)
            let tiers = after.isEmpty ? "none" : AccessTier.words(of: after).joined(separator: ", ")
            let who = context.sender.map { clients.text(of: $0, at: clock.now) } ?? "a guest"
            notices.log(
                .notice, "tiers of app \(app), as changed by \(who): \(tiers)", by: context.sender.map { owner(of: $0) }
            )
        }
    }
}
