// PluginPermissions: what a plugin asks for, and what of that it has.

import CallModel
import WorkerLaunch

/// The permissions of one plugin, as they follow from its manifest and from what was decided.
struct PluginPermissions: Equatable {
    /// What it is not started without.
    let needs: [Permission]
    /// What it is started without, too.
    let mayUse: [Permission]
    /// What it says each is for.
    let reasons: [Permission: String]
    /// Those of `needs` and `mayUse` that it has.
    let granted: Set<Permission>

    static let none = PluginPermissions(PluginManifest(), isPackaged: false, decisions: [:])

    /// - Parameters:
    ///   - isPackaged: Whether its installation grants what nothing was decided about.
    ///   - decisions: Whether the user grants what was decided about. What the plugin does not ask for is passed over.
    init(_ manifest: PluginManifest, isPackaged: Bool, decisions: [Permission: Bool]) {
        needs = manifest.needs.sorted()
        mayUse = manifest.mayUse.sorted()
        reasons = manifest.reasons
        granted = Set((manifest.needs + manifest.mayUse).filter { decisions[$0] ?? isPackaged })
    }

    /// What it needs and does not have.
    var missing: [Permission] { needs.filter { !granted.contains($0) } }

    /// Whether it may be started.
    var hasConsent: Bool { missing.isEmpty }

    /// Why it is not started, and what the user can do; "" if it may be.
    func complaint(of id: String) -> String {
        if hasConsent { return "" }
        let texts = missing.map(\.text)
        return "it needs \(texts.joined(separator: ", ")); to allow that: "
            + "callctl plugins grant \(id) \(texts.map(\.shellWord).joined(separator: " "))"
    }

    /// The permissions that a client names, each once.
    ///
    /// - Throws: `InvalidArguments` if there is none, or the plugin does not ask for one; `NotSupported` for one that
    ///   no plugin ever has.
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

extension String {
    /// This text as one word of a command line.
    fileprivate var shellWord: String {
        let plain = utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "-_./:".utf8.contains(byte)
        }
        return plain && !isEmpty
            ? self : "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
