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
    let context: HostContext
    unowned let supervisor: PluginSupervisor
    private unowned let providers: any ProviderBook
    let secrets: SecretsSupervisor
    /// In the order in which they were added.
    private(set) var accounts: [Account] = []
    private(set) lazy var leftovers = SecretLeftovers(self)
    lazy var deliveries = AccountDeliveries(self)
    private(set) lazy var keyring = AccountKeyring(self)
    private var generator = SystemRandomNumberGenerator()
    /// How much each plugin reports.
    private var reportLimits: [String: RateLimit] = [:]
    private var shownPlugins: [String] = []
    /// How many secrets are being read or stored.
    var secretsInArrival = 0

    private let file: SettingsFile<AccountList>
    /// How long a plugin may keep the provider of an account that is off.
    private static let goodbyeDeadline = Duration.seconds(5)

    init(_ context: HostContext, _ supervisor: PluginSupervisor, _ providers: any ProviderBook) {
        self.context = context
        self.supervisor = supervisor
        self.providers = providers
        secrets = SecretsSupervisor(context)
        file = SettingsFile("accounts", of: "the accounts", for: context)
        keyring.watch()
    }

    /// Shows the accounts that are kept. The plugins come later.
    func start() {
        let list = file.read()
        for record in list.records { show(Account(record.withoutMemory)) }
        for place in list.leftovers where !isHome(place) { _ = leftovers.note(place) }
        leftovers.clear()
    }

    func stop() {
        leftovers.stop()
        secrets.stop()
    }

    /// Whether an account has its secrets there.
    private func isHome(_ place: SecretPlace) -> Bool {
        accounts.contains { $0.id == place.account && $0.record.storage == place.storage }
    }

    func accounts(of plugin: String) -> [Account] { accounts.filter { $0.record.plugin == plugin } }

    /// The ids of the plugins that have a schema.
    var plugins: [String] { supervisor.plugins.values.filter(\.hasSchema).map(\.id).sorted() }

    // MARK: schemas

    /// The schema of a plugin, or why there is none: `UnknownPlugin` or `NotSupported`.
    func schema(of plugin: String) -> Result<AccountSchema, CallError> {
        guard let plugin = supervisor.plugins[plugin] else {
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
        context.tree.propertiesChanged(at: .accounts, Contract.accounts, ["Plugins"])
    }

    /// The worker of a plugin has gone, and what it has said of its accounts no longer holds.
    func workerEnded(_ plugin: String) {
        reportLimits[plugin] = nil
        for account in accounts(of: plugin) where account.report != nil {
            account.report = nil
            announce(account)
        }
    }

    /// Notes what a plugin reports of one of its accounts that it has.
    func note(_ report: AccountStanding, of id: String, from plugin: String) throws(CallError) {
        guard let account = accounts(of: plugin).first(where: { $0.id.rawValue == id }), account.report != nil else {
            throw CallError(.invalidArguments, "plugin \(plugin) does not have an account \(id.excerpt)")
        }
        guard reportLimits[plugin, default: RateLimit(burst: 1_000, every: 10_000)].take(at: context.clock.now) else {
            let reason = "it reported over 100 changes of its accounts a second for seconds"
            supervisor.quarantine(plugin, reason)
            throw CallError(.limitsExceeded, "plugin \(plugin) is quarantined: \(reason)")
        }
        account.report = report
        account.pacer.tellInTime(on: context.clock) { [weak self, weak account] in
            if let self, let account { announce(account) }
        }
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
        try save(accounts.map(\.record) + [record])
        show(account)
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
        try change(account) { $0.settings = settings }
        let needsReconnect = schema.needsReconnect(from: schema.completed(old), to: schema.completed(settings))
        if needsReconnect { account.generation += 1 }
        changed(account)
    }

    func set(_ account: Account, enabled isEnabled: Bool) throws(CallError) {
        guard account.record.isEnabled != isEnabled else { return }
        try change(account) { $0.isEnabled = isEnabled }
        account.report = nil
        account.trouble = nil
        // Nobody looks any more, or not yet.
        account.found = nil
        // The plugin may not notice that it was away.
        account.generation += 1
        changed(account)
        if !isEnabled { withdrawProviderSoon(of: account) }
    }

    func retry(_ account: Account) throws(CallError) {
        guard account.record.isEnabled else {
            throw CallError(.invalidAction, "account \(account.id.rawValue) is disabled, set Enabled first")
        }
        account.generation += 1
        if account.trouble == .locked { keyring.unlock() }
        changed(account)
    }

    func remove(_ account: Account) throws(CallError) {
        let place = account.record.storage.map { SecretPlace(account: account.id, storage: $0) }
        let isNew = place.map { leftovers.note($0) } ?? false
        do throws(CallError) {
            try save(accounts.filter { $0 !== account }.map(\.record))
        } catch {
            if let place, isNew { leftovers.forget(place) }
            throw error
        }
        accounts.removeAll { $0 === account }
        context.tree.remove(AccountObject.path(of: account.id))
        deliveries.deliver(to: account.record.plugin)
        leftovers.clear()
        withdrawProviderSoon(of: account)
    }

    /// The plugin says goodbye to the network, and its provider goes. If it does not do so in time, the provider goes all the same.
    private func withdrawProviderSoon(of account: Account) {
        account.goodbye = LoopTimer(after: Self.goodbyeDeadline) { [weak self] in
            guard let self else { return }
            account.goodbye = nil
            if has(account), account.record.isEnabled { return }
            if let provider = providerID(of: account) { context.submit(.providerRemoved(provider)) }
        }
    }

    /// Changes what is kept of an account. If it cannot be kept, nothing changes.
    ///
    /// - Throws: `StoreUnavailable`.
    func change(_ account: Account, _ change: (inout AccountRecord) -> Void) throws(CallError) {
        let old = account.record
        change(&account.record)
        do throws(CallError) {
            try save(accounts.map(\.record))
        } catch {
            account.record = old
            throw error
        }
    }

    /// Shows and delivers what has changed.
    func changed(_ account: Account) {
        guard has(account) else { return }
        announce(account)
        deliveries.deliver(to: account.record.plugin)
    }

    /// Whether it has not been removed.
    func has(_ account: Account) -> Bool { accounts.contains { $0 === account } }

    // MARK: the bus and the file

    func announce(_ account: Account) {
        let path = AccountObject.path(of: account.id)
        guard let object = context.tree.object(at: path) as? AccountObject else { return }
        let changes = object.showChanges()
        if !changes.isEmpty { context.tree.propertiesChanged(at: path, Contract.account, changes) }
    }

    /// A provider has come or gone.
    func providersChanged() { for account in accounts { announce(account) } }

    /// The path of the account's provider; / = none.
    func provider(of account: Account) -> ObjectPath {
        providerID(of: account).map { .provider($0) } ?? .root
    }

    private func providerID(of account: Account) -> ProviderID? {
        providers.owned(by: .plugin(account.record.plugin)).first { provider in
            context.core.providers[provider]?.configuration.key == account.id.pathElement
        }
    }

    private func show(_ account: Account) {
        accounts.append(account)
        context.tree.export(
            AccountObject(account, of: self), at: AccountObject.path(of: account.id), AccountObject.interface)
    }

    /// - Throws: `StoreUnavailable`.
    func save() throws(CallError) { try save(accounts.map(\.record)) }

    private func save(_ records: [AccountRecord]) throws(CallError) {
        var list = AccountList()
        list.records = records
        list.leftovers = leftovers.places.filter { $0.storage != .memory }
        try file.keep(list) { _ in }
    }

    /// Saves what can be found out again.
    func saveWhatIsLeft() { try? save() }
}
