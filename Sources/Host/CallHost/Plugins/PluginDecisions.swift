// PluginDecisions: what the user has decided about plugins, in two files.

import CallModel
import EventLoop
import Files
import Logging
import WorkerLaunch

/// Which plugins may run, and what was granted to them.
@LoopActor
final class PluginDecisions {
    private let context: HostContext
    private var settings = PluginSettings()
    private let settingsFile: SettingsFile<PluginSettings>
    private var grants = PluginGrants()
    private let grantsFile: SettingsFile<PluginGrants>
    /// The ids of the plugins that were found since the files were read.
    private var judged: Set<String> = []

    init(_ context: HostContext) {
        self.context = context
        settingsFile = SettingsFile("plugins", of: "the plugins that may run", for: context)
        grantsFile = SettingsFile("permissions", of: "the permissions of plugins", for: context)
    }

    func read() {
        settings = settingsFile.read()
        grants = grantsFile.read()
    }

    func isEnabled(_ id: String) -> Bool { !settings.disabled.contains(id) }

    /// True for what was granted, false for what was revoked.
    func permissions(for place: PluginGrants.Place) -> [Permission: Bool] { grants.decisions(for: place) }

    /// Refuses a plugin that was found what its user may have refused it in a part of the files that cannot be read: to run,
    /// and the permissions of its installation. A directory that has no provider may run: it has a switch of its own.
    func doubt(_ candidate: PluginCandidate, isPackaged: Bool) {
        guard judged.insert(candidate.id).inserted else { return }
        var hasProvider = true
        if case .usable(let file) = candidate {
            hasProvider = file.parts.contains(.provider)
            if isPackaged, !grantsFile.isWhole || grants.doubtful.contains(file.id) {
                let folder = candidate.location.deletingLastElement
                grants.refuse(file.manifest.asked, for: PluginGrants.Place(id: file.id, folder: folder))
            }
        }
        if hasProvider, !settingsFile.isWhole { settings.disabled.insert(candidate.id) }
    }

    /// Why a plugin that the user may not have disabled does not run; "" for one that the user has disabled.
    func doubt(about id: String) -> String {
        guard !settingsFile.isWhole, settings.disabled.contains(id) else { return "" }
        let path = settingsFile.path
        return "whether it may run cannot be read in \(path); to allow that: callctl plugins enable \(id)"
    }

    /// Writes down whether a plugin may run. That it may not counts even if it cannot be written.
    ///
    /// - Parameter apply: puts it in force, and is told whether it is new.
    /// - Throws: `StoreUnavailable` if it cannot be written.
    func set(_ id: String, enabled isEnabled: Bool, apply: (Bool) -> Void) throws(CallError) {
        var new = settings
        if isEnabled { new.disabled.remove(id) } else { new.disabled.insert(id) }
        try settingsFile.keep(new, orHold: isEnabled ? nil : new) { new in
            let isChange = new != settings
            settings = new
            apply(isChange)
        }
    }

    /// Writes down a decision about permissions. What is revoked is revoked even if that cannot be written.
    ///
    /// - Parameter apply: puts it in force if it is new.
    /// - Throws: `StoreUnavailable` if it cannot be written; `LimitsExceeded` if there are too many.
    func decide(
        _ permissions: Set<Permission>, _ isGranted: Bool, for place: PluginGrants.Place, apply: () -> Void
    ) throws(CallError) {
        var new = grants
        try new.decide(permissions, isGranted, for: place)
        try grantsFile.keep(new, orHold: isGranted ? nil : new) { new in
            guard new != grants else { return }
            grants = new
            let names = permissions.sorted().map(\.text).joined(separator: ", ")
            context.notices.log(
                .notice, "plugin \(place.id): \(isGranted ? "granted" : "revoked") \(names)", by: nil)
            apply()
        }
    }

    /// Forgets the decisions about permissions of plugins.
    ///
    /// - Returns: whether there were any.
    /// - Throws: `StoreUnavailable` if that cannot be written; nothing has changed then.
    func forget(where isForgotten: (PluginGrants.Place) -> Bool) throws(CallError) -> Bool {
        var new = grants
        guard new.forget(where: isForgotten) else { return false }
        try grantsFile.keep(new) { grants = $0 }
        return true
    }
}
