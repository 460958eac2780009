// Reading accounts and schemas.

import CallClient
import CallModel
import DBus
import EventLoop

extension Session {
    /// How long a command waits for an account that connects.
    private nonisolated static let connectingTimeout = Duration.seconds(5)

    func accounts() async throws(Failure) -> AccountBook {
        let objects: ManagedObjects = try await call(
            at: DaemonPath.system, StandardInterface.objectManager, "GetManagedObjects",
            waiting: Self.quickTimeout)
        var forms: [String: AccountForm] = [:]
        var rows: [AccountRow] = []
        for (path, interfaces) in objects where interfaces[Contract.account] != nil {
            // The list of objects has no settings. An account that has gone meanwhile is left out.
            guard let properties = try await properties(ofAccount: path) else { continue }
            let plugin: String = properties["Plugin", default: ""]
            // The plugin of an account may be gone.
            if forms[plugin] == nil { forms[plugin] = try? await form(ofPlugin: plugin) }
            rows.append(AccountRow(path, properties, form: forms[plugin]))
        }
        return AccountBook(rows)
    }

    /// Returns nil if there is no such account any more.
    private func properties(ofAccount path: ObjectPath) async throws(Failure) -> VariantDictionary? {
        do {
            return try await call(
                at: path, StandardInterface.properties, "GetAll", Contract.account, waiting: Self.quickTimeout)
        } catch {
            guard error.outcome == .unknown else { throw error }
            return nil
        }
    }

    /// Returns the ids of the plugins with accounts.
    func accountPlugins() async throws(Failure) -> [String] {
        try await property("Plugins", of: Contract.accounts, at: DaemonPath.accounts)
    }

    /// Returns the schema of the plugin that `reference` names: an id, or the beginning of one.
    ///
    /// - Throws: also if there is no such plugin, or it has no schema.
    func form(of reference: String) async throws(Failure) -> AccountForm {
        let plugins = try await accountPlugins()
        let wanted = reference.lowercased()
        let isKnown = !wanted.isEmpty && plugins.contains { $0.lowercased().hasPrefix(wanted) }
        // The daemon tells what is wrong with others.
        let id = isKnown ? try Snapshot.find(reference, in: plugins, "plugin", id: { $0 }, path: { $0 }) : reference
        return try await form(ofPlugin: id)
    }

    func form(ofPlugin id: String) async throws(Failure) -> AccountForm {
        let fields: [VariantDictionary] = try await call(
            at: DaemonPath.accounts, Contract.accounts, "Schema", id, waiting: Self.quickTimeout)
        return AccountForm(plugin: id, wire: fields)
    }

    func set(_ account: AccountRow, enabled isEnabled: Bool) async throws(Failure) {
        try await setProperty("Enabled", of: Contract.account, at: account.path, to: isEnabled)
    }

    /// Returns the account once it is no longer connecting, or a while after `start`.
    func settled(
        _ account: AccountRow, since start: MonotonicTime = .now
    ) async throws(Failure) -> AccountRow {
        var account = account
        while true {
            account.properties = try await call(
                at: account.path, StandardInterface.properties, "GetAll", Contract.account,
                waiting: Self.quickTimeout)
            let isLate = MonotonicTime.now.duration(since: start) >= Self.connectingTimeout
            guard account.state == "connecting", !isLate else { return account }
            await LoopTimer.pause(for: Self.redrawPause)
        }
    }
}
