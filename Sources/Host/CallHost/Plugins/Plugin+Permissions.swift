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
        let storage = PluginStorage(id: id, environment: supervisor.host.configuration.environment)
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
    private static var grantsFile: String { "permissions" }

    /// Loads the decisions about permissions. Of a damaged file, the valid lines count.
    func loadGrants() {
        var salvaged: PluginGrants?
        let grants = host.loadSettings(
            Self.grantsFile, orElse: "the permissions of plugins that could be read count",
            longest: PluginGrants.longest
        ) { text in
            salvaged = PluginGrants(salvaging: text)
            return try PluginGrants(text: text)
        }
        if grants == nil, let salvaged {
            host.setAsideSettings(Self.grantsFile)
            self.grants = salvaged
            saveGrants()
        } else if let grants {
            self.grants = grants
        }
    }

    private func saveGrants() {
        host.saveSettings(Self.grantsFile, grants.text, of: "the permissions of plugins", durably: true)
    }

    /// Grants or revokes permissions of a plugin, and saves the decision.
    ///
    /// - Throws: The errors of `Grant` and `Revoke` of org.opencallkit.Plugin1.
    func decide(_ texts: [String], _ isGranted: Bool, of plugin: Plugin) throws(CallError) {
        guard case .usable = plugin.file else {
            throw CallError(
                .invalidAction, "plugin \(plugin.id) is incompatible, what it asks for is unknown: \(plugin.error)")
        }
        let permissions = try plugin.permissions.asked(texts, of: plugin.id)
        let before = plugin.permissions.granted
        var new = grants
        try new.decide(permissions, isGranted, for: plugin.place)
        guard new != grants else { return }
        grants = new
        saveGrants()
        let names = permissions.sorted().map(\.text).joined(separator: ", ")
        host.log.notice("plugin \(plugin.id): \(isGranted ? "granted" : "revoked") \(names)")
        guard plugin.permissions.granted != before else { return }
        plugin.permissionsChanged()
        tellStore()
    }

    /// Forgets the decisions about a plugin, and removes its folders.
    ///
    /// - Parameter then: Called when the folders are gone, or with the error that kept one.
    func forget(_ plugin: Plugin, then: @escaping @LoopActor (SystemError?) -> Void) {
        if grants.forget(plugin.place) { saveGrants() }
        plugin.forget(then: then)
        tellStore()
    }
}
