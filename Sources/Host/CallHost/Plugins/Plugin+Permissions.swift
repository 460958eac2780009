// The permissions of a plugin, and what happens when they change.

import CallModel
import EventLoop
import Files
import Logging
import WorkerLaunch

extension Plugin {
    /// The key of the decisions about its permissions.
    var place: PluginGrants.Place { PluginGrants.Place(id: id, folder: file.location.deletingLastElement) }

    /// The permissions that it asks for, and those that are granted.
    var permissions: PluginPermissions {
        guard let supervisor, case .usable(let file) = file else { return .none }
        return PluginPermissions(
            file.manifest, isPackaged: isPackaged, decisions: supervisor.grants.decisions(for: place))
    }

    /// Applies changed permissions. Its worker and its calls end, because the permissions of a running worker cannot
    /// change.
    func permissionsChanged() {
        switch state {
        case .disabled, .quarantined, .incompatible: supervisor?.announce(self)
        case .starting, .ready, .restarting, .needsConsent:
            if permissions.hasConsent {
                restart()
            } else {
                supervisor?.withdrawProviders(of: self)
                awaitConsent()
            }
        }
    }

    /// Whether its worker is being ended and its folders are being removed. No worker starts meanwhile, and the plugin stays
    /// even if its bundle goes.
    var isBeingForgotten: Bool { !forgetting.isEmpty }

    /// Ends the worker, removes the folders of the plugin, and starts it again.
    ///
    /// - Parameter then: Called when the folders are gone, or with the error that kept one.
    func forget(then: @escaping @LoopActor (SystemError?) -> Void) {
        forgetting.append(then)
        guard forgetting.count == 1 else { return }
        supervisor?.withdrawProviders(of: self)
        worker.forgive()
        if state != .disabled { become(.restarting, "") }
        worker.stop()
        if !worker.isRunning { removeFolders() }
    }

    /// Removes the folders. The worker has ended, so that nothing writes to them.
    func removeFolders() {
        guard let supervisor else { return }
        let storage = PluginStorage(id: id, environment: supervisor.context.configuration.environment)
        supervisor.onDisk { [weak self] in
            var failure: SystemError?
            do throws(SystemError) {
                try storage?.remove()
            } catch {
                failure = error
            }
            let error = failure
            Loop.shared.post { self?.foldersAreGone(error) }
        }
    }

    private func foldersAreGone(_ error: SystemError?) {
        let waiting = forgetting
        forgetting = []
        // The bundle may have been removed meanwhile.
        supervisor?.rescan()
        if state == .restarting { start() }
        for then in waiting { then(error) }
    }
}

extension PluginSupervisor {
    /// Refuses a plugin that was found what its user may have refused it in a part of the files that cannot be read: to run,
    /// and the permissions of its installation. A directory that has no provider may run: it has a switch of its own.
    func doubt(_ candidate: PluginCandidate) {
        guard judged.insert(candidate.id).inserted else { return }
        var hasProvider = true
        if case .usable(let file) = candidate {
            hasProvider = file.parts.contains(.provider)
            if isPackaged(candidate), !grantsFile.isWhole || grants.doubtful.contains(file.id) {
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

    /// Writes a decision about permissions of a plugin down, and puts it in force. What is revoked is revoked even if that
    /// cannot be written.
    ///
    /// - Throws: The errors of `Grant` and `Revoke` of org.opencallkit.Plugin1.
    func decide(_ texts: [String], _ isGranted: Bool, of plugin: Plugin) throws(CallError) {
        guard case .usable = plugin.file else {
            throw CallError(
                .invalidAction, "plugin \(plugin.id) is incompatible, what it asks for is unknown: \(plugin.error)")
        }
        let permissions = try plugin.permissions.asked(texts, of: plugin.id)
        var new = grants
        try new.decide(permissions, isGranted, for: plugin.place)
        try grantsFile.keep(new, orHold: isGranted ? nil : new) { new in
            guard new != grants else { return }
            let before = plugin.permissions.granted
            grants = new
            let names = permissions.sorted().map(\.text).joined(separator: ", ")
            context.notices.log(
                .notice, "plugin \(plugin.id): \(isGranted ? "granted" : "revoked") \(names)", by: nil)
            guard plugin.permissions.granted != before else { return }
            plugin.permissionsChanged()
            tellStore()
        }
    }

    /// Forgets the decisions about a plugin, and removes its folders.
    ///
    /// - Parameter then: Called when the folders are gone, or with the error that kept one.
    /// - Throws: `StoreUnavailable` if the decisions cannot be written; nothing has changed then.
    func forget(_ plugin: Plugin, then: @escaping @LoopActor (SystemError?) -> Void) throws(CallError) {
        var new = grants
        if new.forget(plugin.place) { try grantsFile.keep(new) { grants = $0 } }
        plugin.forget(then: then)
        tellStore()
    }
}
