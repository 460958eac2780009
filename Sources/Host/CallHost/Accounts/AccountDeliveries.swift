// AccountDeliveries: hands plugins their accounts, with the secrets.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging
import WorkerLaunch

/// Secrets are looked up for each new connection and kept nowhere in this process. A connected account keeps those that its
/// plugin has, so that a keyring that is locked ends no calls.
@LoopActor
final class AccountDeliveries {
    private unowned let accounts: AccountSupervisor
    /// The plugins to which a delivery is under way.
    private var underWay: Set<String> = []
    /// Those of them whose accounts have changed meanwhile.
    private var outdated: Set<String> = []

    /// How long a worker may take.
    private static let timeout = Duration.seconds(30)

    init(_ accounts: AccountSupervisor) { self.accounts = accounts }

    /// Hands a plugin its present accounts, if it has a schema and its worker has said Hello. Changes that come while a
    /// delivery is under way lead to one more.
    func deliver(to id: String) {
        guard let plugin = accounts.supervisor.plugins[id], plugin.saidHello, let link = plugin.link,
            case .success(let schema) = plugin.version.schema
        else { return }
        guard underWay.insert(id).inserted else {
            outdated.insert(id)
            return
        }
        Task {
            await send(await entries(of: id, schema), to: plugin, on: link)
            underWay.remove(id)
            if outdated.remove(id) != nil { deliver(to: id) }
        }
    }

    /// The accounts that have all that is required.
    private func entries(of plugin: String, _ schema: AccountSchema) async -> [(Account, AccountWire)] {
        var entries: [(Account, AccountWire)] = []
        var failures: [SecretStorage: CallError] = [:]
        var room = PrivateLink.maximumPacket - Self.sizeOfHeader
        for account in accounts.accounts(of: plugin) where account.record.isEnabled {
            // A change meanwhile makes another one, which is then to be delivered.
            let generation = account.generation
            let secrets = await secrets(of: account, schema, &failures)
            let state = account.standing(.success(schema)).state
            accounts.announce(account)
            guard [.connecting, .ready, .failed].contains(state) else { continue }
            let settings = schema.completed(account.record.settings)
            room -= Self.size(of: settings, secrets)
            guard room >= 0 else {
                account.trouble = .unavailable("the plugin's accounts have more settings than it can take")
                accounts.announce(account)
                continue
            }
            entries.append((account, Struct(account.id.rawValue, generation, settings.mapValues(\.variant), secrets)))
        }
        return entries
    }

    /// More than a message with accounts has beside them, and an account beside its settings, in bytes.
    private static let sizeOfHeader = 512
    private static let sizeOfEntry = 128

    /// The most bytes that an account takes in a message.
    private static func size(of settings: [String: AccountValue], _ secrets: [String: [UInt8]]) -> Int {
        // Lengths, signatures and what aligns them.
        let perValue = 32
        var size = sizeOfEntry
        for (key, value) in settings {
            size += perValue + key.utf8.count
            if case .string(let text) = value { size += text.utf8.count }
        }
        for (key, secret) in secrets { size += perValue + key.utf8.count + secret.count }
        return size
    }

    /// Looks the secrets up unless the plugin has them, and notes why they cannot be had, or that some are gone.
    ///
    /// - Parameter failures: the storages that have failed, which are not asked again for each account.
    private func secrets(
        of account: Account, _ schema: AccountSchema, _ failures: inout [SecretStorage: CallError]
    ) async -> [String: [UInt8]] {
        if account.delivered == account.generation { return [:] }
        guard let storage = account.record.storage, !account.record.secrets.isEmpty else {
            account.trouble = nil
            return [:]
        }
        let generation = account.generation
        do throws(CallError) {
            if let failure = failures[storage] { throw failure }
            // Another program may have put more there.
            let known = Set(schema.secrets)
            let found = try await accounts.secrets.lookUp(account.id, in: storage).filter { known.contains($0.key) }
            // What has changed meanwhile is looked up for itself, if the account is still in use.
            guard account.generation == generation, account.record.storage == storage else { return found }
            account.trouble = nil
            account.found = Set(found.keys)
            return found
        } catch {
            if error.code == .keyringLocked {
                account.trouble = .locked
                accounts.keyring.askOnce()
            } else {
                account.trouble = .unavailable(error.message)
                failures[storage] = error
            }
            return [:]
        }
    }

    private func send(_ entries: [(Account, AccountWire)], to plugin: Plugin, on link: PrivateLink) async {
        let entries = entries.filter { accounts.has($0.0) && $0.0.record.isEnabled }
        let sent = Set(entries.map(\.0.id))
        for account in accounts.accounts(of: plugin.id) where account.report != nil && !sent.contains(account.id) {
            account.report = nil
        }
        for (account, entry) in entries where account.delivered != entry.fields.1 {
            account.report = AccountStanding(.connecting)
            account.delivered = entry.fields.1
            accounts.announce(account)
        }
        plugin.expectAnswer()
        do throws(DBusError) {
            try await link.call(
                at: .system, Contract.accountsDelegate, ProviderMember.Accounts.setAccounts, entries.map(\.1),
                timeout: Self.timeout)
        } catch {
            accounts.context.notices.log(
                .warning, "plugin \(plugin.id) did not take its accounts: \(error.name)", by: .plugin(plugin.id))
            for (account, _) in entries { account.delivered = nil }
        }
    }
}
