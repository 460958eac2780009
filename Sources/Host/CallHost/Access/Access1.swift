// org.opencallkit.Access1: what sandboxed apps may do.

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
            try object.host.changeAccess(of: app, tiers, by: context) { (book, tiers) throws(CallError) in
                try book.grant(tiers, to: app)
            }
        }
        Method("Revoke", in: ["app", "tiers"], out: []) {
            (object: AccessObject, context, app: String, tiers: [String]) in
            let all = AccessTier.grantable.map(\.rawValue)
            try object.host.changeAccess(of: app, tiers.isEmpty ? all : tiers, by: context) {
                (book, tiers) throws(CallError) in
                book.revoke(tiers, of: app)
            }
        }
        Method("Apps", out: ["apps"]) { (object: AccessObject, _) -> [String: VariantDictionary] in
            object.apps
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
    /// The name of the file of grants.
    private static var accessFile: String { "access" }

    func loadAccess() {
        let settings = loadSettings(
            Self.accessFile, orElse: "sandboxed apps have no grants", longest: AccessSettings.longest
        ) { try AccessSettings(text: $0) }
        if let settings { access.load(settings) }
    }

    /// Changes the tiers of an app, at once and for all its connections, and saves them.
    fileprivate func changeAccess(
        of app: String, _ words: [String], by context: CallContext,
        _ change: (AccessBook, Set<AccessTier>) throws(CallError) -> Void
    ) throws(CallError) {
        guard AppID.isValid(app) else {
            throw CallError(
                .invalidArguments,
                "\"\(app.excerpt)\" is not the id of an app, expected 1 to 255 letters, digits, dots, "
                    + "dashes and underscores"
            )
        }
        let before = access.tiers(of: app)
        try change(access, try AccessTier.set(of: words))
        let after = access.tiers(of: app)
        guard before != after else { return }
        saveSettings(Self.accessFile, access.settings.text, of: "the access of apps", durably: true)
        let tiers = after.isEmpty ? "none" : AccessTier.words(of: after).joined(separator: ", ")
        let who = context.sender.map { clients.text(of: $0, at: clock.now) } ?? "a guest"
        log.notice("tiers of app \(app), as changed by \(who): \(tiers)")
    }
}
