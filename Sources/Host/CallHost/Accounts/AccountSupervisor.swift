// AccountSupervisor: the user's accounts: what is set, kept and shown of them.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging
import WorkerLaunch

@LoopActor
final class AccountSupervisor {
    unowned let host: CallSystemHost
    let secrets: SecretsSupervisor
    /// In the order in which they were added.
    private(set) var accounts: [Account] = []
    private var leftovers: [AccountID: SecretStorage] = [:]
    lazy var deliveries = AccountDeliveries(self)
    private var generator = SystemRandomNumberGenerator()
    private var shownPlugins: [String] = []
    /// Whether the user was asked to unlock the keyring, which the daemon does once by itself.
    private var hasAsked = false
    private var isUnlocking = false
    private var isClearing = false
    /// How many secrets are being read or stored.
    var secretsInArrival = 0

    private static let file = "accounts"

    init(host: CallSystemHost) {
        self.host = host
        secrets = SecretsSupervisor(host: host)
        secrets.onKeyringChanged = { [weak self] in self?.keyringChanged() }
        secrets.onLost = { [weak self] in self?.secretsLost() }
        secrets.onStarted = { [weak self] in self?.secretsReturned() }
    }

    /// Shows the accounts that are kept. The plugins come later.
    func start() {
        host.tree.export(AccountsObject(self), at: .accounts, AccountsObject.interface)
        let list = host.loadSettings(
            Self.file, orElse: "there are no accounts", longest: AccountList.longest, parse: AccountList.init(text:))
        leftovers = list?.leftovers ?? [:]
        for record in list?.records ?? [] { show(Account(record)) }
        clearLeftovers()
    }

    func stop() { secrets.stop() }

    func accounts(of plugin: String) -> [Account] { accounts.filter { $0.record.plugin == plugin } }

    /// The ids of the plugins that have a schema.
    var plugins: [String] { host.plugins.plugins.values.filter(\.hasSchema).map(\.id).sorted() }

    // MARK: schemas

    /// The schema of a plugin, or why there is none: `UnknownPlugin` or `NotSupported`.
    func schema(of plugin: String) -> Result<AccountSchema, CallError> {
        guard let plugin = host.plugins.plugins[plugin] else {
            return .failure(CallError(.unknownPlugin, "plugin \(plugin.excerpt) is not installed"))
        }
        return plugin.schema
    }

    /// A plugin has come, gone or changed.
    func pluginChanged(_ id: String) {
        for account in accounts(of: id) { announce(account) }
        let plugins = plugins
        guard plugins != shownPlugins else { return }
        shownPlugins = plugins
        host.tree.propertiesChanged(at: .accounts, Contract.accounts, ["Plugins"])
    }

    /// The worker of a plugin has gone, and what it has said of its accounts no longer holds.
    func workerEnded(_ plugin: String) {
        for account in accounts(of: plugin) where account.report != nil {
            account.report = nil
            announce(account)
        }
    }

    /// Takes a plugin's word for one of its accounts that it has.
    func take(_ report: AccountStanding, of id: String, from plugin: String) throws(CallError) {
        guard let account = accounts(of: plugin).first(where: { $0.id.rawValue == id }), account.report != nil else {
            throw CallError(.invalidArguments, "plugin \(plugin) does not have an account \(id.excerpt)")
        }
        account.report = report
        announce(account)
    }

    // MARK: changes

    /// Adds an account, disabled.
    func add(_ plugin: String, _ settings: [String: AccountValue]) throws(CallError) -> Account {
        try schema(of: plugin).get().check(settings)
        let own = accounts(of: plugin).count
        guard accounts.count < AccountList.maximum, own < AccountList.maximumOfPlugin else {
            let isOwn = own >= AccountList.maximumOfPlugin
            throw CallError(
                .limitsExceeded,
                "\(isOwn ? "plugin \(plugin) has \(own)" : "there are \(accounts.count)") accounts, expected at most "
                    + "\(isOwn ? AccountList.maximumOfPlugin : AccountList.maximum)")
        }
        var record = AccountRecord(id: AccountID.random(using: &generator), plugin: plugin)
        record.settings = settings
        let account = Account(record)
        show(account)
        save()
        return account
    }

    func update(_ account: Account, _ new: [String: AccountValue], unset: [String]) throws(CallError) {
        let schema = try schema(of: account.record.plugin).get()
        if let both = unset.first(where: { new[$0] != nil }) {
            throw CallError(.invalidArguments, "the field \(both.excerpt) is both set and unset")
        }
        try schema.check(new)
        for key in unset where schema.field(key)?.kind == .secret {
            throw CallError(.invalidArguments, "the field \(key) is a secret, and no setting: use ClearSecret")
        }
        var settings = account.record.settings.merging(new) { $1 }
        for key in unset { settings[key] = nil }
        guard settings != account.record.settings else { return }
        let old = account.record.settings
        account.record.settings = settings
        let needsReconnect = schema.needsReconnect(from: schema.completed(old), to: schema.completed(settings))
        if needsReconnect { account.generation += 1 }
        changed(account)
    }

    func set(_ account: Account, enabled isEnabled: Bool) {
        guard account.record.isEnabled != isEnabled else { return }
        account.record.isEnabled = isEnabled
        account.report = nil
        account.trouble = nil
        changed(account)
    }

    func retry(_ account: Account) throws(CallError) {
        guard account.record.isEnabled else {
            throw CallError(.invalidAction, "account \(account.id.rawValue) is disabled, set Enabled first")
        }
        account.generation += 1
        if account.trouble == .locked { unlock() }
        changed(account)
    }

    func remove(_ account: Account) {
        accounts.removeAll { $0 === account }
        host.tree.remove(AccountObject.path(of: account.id))
        if let storage = account.record.storage { leftovers[account.id] = storage }
        save()
        deliveries.deliver(to: account.record.plugin)
        clearLeftovers()
    }

    /// Keeps, shows and delivers what has changed.
    func changed(_ account: Account) {
        guard accounts.contains(where: { $0 === account }) else { return }
        save()
        announce(account)
        deliveries.deliver(to: account.record.plugin)
    }

    // MARK: the bus and the file

    func announce(_ account: Account) {
        let path = AccountObject.path(of: account.id)
        guard let object = host.tree.object(at: path) as? AccountObject else { return }
        let changes = object.takeChanges()
        if !changes.isEmpty { host.tree.propertiesChanged(at: path, Contract.account, changes) }
    }

    /// A provider has come or gone.
    func providersChanged() { for account in accounts { announce(account) } }

    /// The path of the account's provider; / = none.
    func provider(of account: Account) -> ObjectPath {
        let own = host.providers.owned(by: .plugin(account.record.plugin)).first { provider in
            host.machine.providers[provider.id]?.configuration.key == account.id.pathElement
        }
        return own.map { .provider($0.id) } ?? .root
    }

    private func show(_ account: Account) {
        accounts.append(account)
        host.tree.export(
            AccountObject(account, of: self), at: AccountObject.path(of: account.id), AccountObject.interface)
    }

    private func save() {
        var list = AccountList()
        list.records = accounts.map(\.record)
        for (id, storage) in leftovers { list.leave(id, in: storage) }
        host.saveSettings(Self.file, list.text, of: "the accounts", durably: true)
    }

    // MARK: the keyring

    /// Asks the user to unlock the keyring, at the first time by itself.
    func askOnce() {
        guard !hasAsked else { return }
        unlock()
    }

    private func unlock() {
        hasAsked = true
        guard !isUnlocking else { return }
        isUnlocking = true
        Task {
            do throws(CallError) {
                try await secrets.unlock()
                keyringChanged()
            } catch {
                host.log.notice("the keyring stays locked: \(error.message)")
            }
            isUnlocking = false
        }
    }

    private func keyringChanged() {
        let concerned = accounts.filter { $0.record.storage == .keyring && $0.record.isEnabled }
        for plugin in Set(concerned.map(\.record.plugin)) { deliveries.deliver(to: plugin) }
        clearLeftovers()
    }

    /// callkit-secrets has ended: what was in its memory is gone.
    private func secretsLost() {
        for account in accounts where account.record.storage == .memory && !account.record.secrets.isEmpty {
            account.record.secrets = []
            changed(account)
        }
    }

    /// callkit-secrets runs again: accounts that waited for it need not wait any longer.
    private func secretsReturned() {
        let waiting = accounts.filter { if case .unavailable = $0.trouble { $0.record.isEnabled } else { false } }
        for plugin in Set(waiting.map(\.record.plugin)) { deliveries.deliver(to: plugin) }
    }

    /// Removes the secrets of accounts that are gone, as far as their storage can be reached now.
    private func clearLeftovers() {
        guard !isClearing, !leftovers.isEmpty else { return }
        isClearing = true
        Task {
            for (id, storage) in leftovers {
                do throws(CallError) {
                    try await secrets.clear(of: id, in: storage)
                    leftovers[id] = nil
                } catch {
                    if storage == .memory { leftovers[id] = nil }
                }
            }
            isClearing = false
            save()
        }
    }
}
