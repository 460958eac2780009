// PluginPermissions: the permissions that a plugin asks for, and those that are granted.

import CallModel
import WorkerLaunch

/// The permissions of one plugin, which follow from its manifest, its installation and the user's decisions.
struct PluginPermissions: Equatable {
    /// The permissions without which it is not started, sorted.
    let needs: [Permission]
    /// The permissions without which it is started, sorted.
    let mayUse: [Permission]
    /// Why it asks, in its own words.
    let reasons: [Permission: String]
    /// The permissions of `needs` and `mayUse` that are granted.
    let granted: Set<Permission>

    static let none = PluginPermissions(PluginManifest(), isPackaged: false, decisions: [:])

    /// - Parameters:
    ///   - isPackaged: Whether the installation grants the permissions about which the user has not decided.
    ///   - decisions: The user's decisions: true for granted. Permissions that the plugin does not ask for are ignored.
    init(_ manifest: PluginManifest, isPackaged: Bool, decisions: [Permission: Bool]) {
        needs = manifest.needs.sorted()
        mayUse = manifest.mayUse.sorted()
        reasons = manifest.reasons
        granted = Set((manifest.needs + manifest.mayUse).filter { decisions[$0] ?? isPackaged })
    }

    private init(needs: [Permission], mayUse: [Permission], reasons: [Permission: String], granted: Set<Permission>) {
        (self.needs, self.mayUse, self.reasons, self.granted) = (needs, mayUse, reasons, granted)
    }

    /// These together with those of a file that is to take over; what that one needs is needed.
    func joined(by new: PluginPermissions) -> PluginPermissions {
        let others = Set(needs + mayUse + new.mayUse).subtracting(new.needs)
        return PluginPermissions(
            needs: new.needs, mayUse: others.sorted(), reasons: reasons.merging(new.reasons) { $1 },
            granted: granted.union(new.granted))
    }

    /// The permissions that it needs and that are not granted.
    var missing: [Permission] { needs.filter { !granted.contains($0) } }

    /// Whether it may be started.
    var hasConsent: Bool { missing.isEmpty }

    /// Why it is not started, and the command that changes that; "" if it may be started.
    func complaint(of id: String) -> String {
        if hasConsent { return "" }
        let texts = missing.map(\.text)
        return "it needs \(texts.joined(separator: ", ")); to allow that: "
            + "callctl plugins grant \(id) \(texts.map(\.shellWord).joined(separator: " "))"
    }

    /// Reads the permissions that a client wants to grant or revoke.
    ///
    /// - Throws: `InvalidArguments` if the list is empty, or the plugin does not ask for one of them; `NotSupported` if
    ///   one is not a permission, or is never granted.
    func asked(_ texts: [String], of id: String) throws(CallError) -> Set<Permission> {
        guard !texts.isEmpty else {
            throw CallError(.invalidArguments, "no permission of plugin \(id) is given, expected at least one")
        }
        var permissions: Set<Permission> = []
        for text in texts {
            let permission = try Permission(text)
            guard needs.contains(permission) || mayUse.contains(permission) else {
                let all = (needs + mayUse).map(\.text)
                throw CallError(
                    .invalidArguments,
                    "plugin \(id) does not ask for \(permission.text.excerpt), it asks for "
                        + (all.isEmpty ? "nothing" : all.joined(separator: ", ")))
            }
            permissions.insert(permission)
        }
        return permissions
    }
}
