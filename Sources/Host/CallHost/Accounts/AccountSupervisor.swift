// AccountSupervisor: the user's accounts: what is set, kept and shown of them.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Files
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
    private var secretsInArrival = 0

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

    /// Whether a plugin has an account that it is to connect.
    func hasEnabled(of plugin: String) -> Bool { accounts(of: plugin).contains(where: \.record.isEnabled) }

    /// The ids of the plugins that have a schema.
    var plugins: [String] { supervisor.plugins.values.filter(\.version.hasSchema).map(\.id).sorted() }

    // MARK: schemas

    /// The schema of a plugin, or why there is none: `UnknownPlugin` or `NotSupported`.
    func schema(of plugin: String) -> Result<AccountSchema, CallError> {
        guard let plugin = supervisor.plugins[plugin] else {
            return .failure(CallError(.unknownPlugin, "plugin \(plugin.excerpt) is not installed"))
        }
        return plugin.version.schema
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
        try file.keep(list, isAdopting: false) { _ in }
    }

    /// Saves what can be found out again.
    func saveWhatIsLeft() { try? save() }
}

extension AccountSupervisor {
    /// How many clients may write one at a time.
    private static var maximumInArrival: Int { 8 }
    /// How long the client may take to write it.
    private static var writeTimeout: Duration { .seconds(5) }

    /// Reads a secret from a pipe and keeps it.
    ///
    /// - Returns: where it is.
    func setSecret(
        _ key: String, _ pipe: OwnedDescriptor, _ wish: SecretStorage?, of account: Account
    ) async throws(CallError) -> SecretStorage {
        _ = try schema(of: account.record.plugin).get().secret(key)
        guard secretsInArrival < Self.maximumInArrival else {
            throw CallError(
                .limitsExceeded, "\(secretsInArrival) secrets are being set, expected at most \(Self.maximumInArrival)")
        }
        secretsInArrival += 1
        defer { secretsInArrival -= 1 }
        let secret = try await read(pipe, key)
        return try await inTurn(account) { () async throws(CallError) in
            try await self.store(secret, key, of: account, in: wish ?? account.record.storage)
        }
    }

    func clearSecret(_ key: String, of account: Account) async throws(CallError) {
        try await inTurn(account) { () async throws(CallError) in
            guard let storage = account.record.storage, account.record.secrets.contains(key) else { return }
            try await self.secrets.clear(key, of: account.id, in: storage)
            account.found?.remove(key)
            try self.change(account) {
                $0.secrets.remove(key)
                if $0.secrets.isEmpty { $0.storage = nil }
            }
            account.generation += 1
            self.changed(account)
        }
    }

    /// Changes an account's secrets when the changes before have come to their end.
    private func inTurn<Outcome: Sendable>(
        _ account: Account, _ change: @escaping @LoopActor () async throws(CallError) -> Outcome
    ) async throws(CallError) -> Outcome {
        let previous = account.latestChange
        let task = Task<Result<Outcome, CallError>, Never> {
            await previous?.value
            do throws(CallError) {
                return .success(try await change())
            } catch {
                return .failure(error)
            }
        }
        account.latestChange = Task { _ = await task.value }
        return try await task.value.get()
    }

    private func read(_ pipe: OwnedDescriptor, _ key: String) async throws(CallError) -> [UInt8] {
        func invalid(_ reason: String) -> CallError { CallError(.invalidArguments, "the secret \(key) \(reason)") }
        var reader: PipeReader?
        let result: Result<[UInt8], PipeReader.Failure> = await withCheckedContinuation { continuation in
            do throws(PipeReader.Failure) {
                reader = try PipeReader(
                    pipe.number, maximum: AccountField.maximumSecret, timeout: Self.writeTimeout
                ) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        withExtendedLifetime(reader) {}
        switch result {
        case .success(let bytes):
            guard !bytes.isEmpty, !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
                throw invalid(bytes.isEmpty ? "is empty" : "is no text in UTF-8, or has a NUL")
            }
            return bytes
        case .failure(.notAPipe): throw invalid("is not the reading end of a pipe")
        case .failure(.tooLong): throw invalid("is longer than \(AccountField.maximumSecret) bytes")
        case .failure(.tooLate): throw invalid("has no end within \(Self.writeTimeout.milliseconds / 1_000) s")
        }
    }

    /// Keeps a secret where it is wished, or else in the keyring if there is one, and takes the account's others there.
    private func store(
        _ secret: [UInt8], _ key: String, of account: Account, in wish: SecretStorage?
    ) async throws(CallError) -> SecretStorage {
        do throws(CallError) {
            return try await keep(secret, key, of: account, to: wish ?? .keyring)
        } catch {
            guard error.code == .keyringUnavailable, wish == nil else { throw error }
            return try await keep(secret, key, of: account, to: .memory)
        }
    }

    /// Keeps a secret and all others of the account in one place. What was kept stays until the new place counts.
    private func keep(
        _ secret: [UInt8], _ key: String, of account: Account, to storage: SecretStorage
    ) async throws(CallError) -> SecretStorage {
        let place = SecretPlace(account: account.id, storage: storage)
        let old = account.record.storage
        try requirePresent(account)
        if old != storage, leftovers.note(place), storage != .memory { try save() }
        leftovers.begin(place)
        defer { leftovers.end(place) }
        try await secrets.store(secret, key, of: account.id, in: storage)
        if let old, old != storage, account.record.secrets.contains(where: { $0 != key }) {
            for (other, value) in try await secrets.lookUp(account.id, in: old) where other != key {
                try await secrets.store(value, other, of: account.id, in: storage)
            }
        }
        do throws(CallError) {
            try requirePresent(account)
        } catch {
            _ = leftovers.note(place)
            throw error
        }
        let left = old == storage ? nil : old.map { SecretPlace(account: account.id, storage: $0) }
        leftovers.forget(place)
        if let left { _ = leftovers.note(left) }
        do throws(CallError) {
            try change(account) {
                $0.storage = storage
                $0.secrets.insert(key)
            }
        } catch {
            if old != storage { _ = leftovers.note(place) }
            if let left { leftovers.forget(left) }
            throw error
        }
        account.found = nil
        account.trouble = nil
        account.generation += 1
        changed(account)
        if let left, await leftovers.clear(left) { saveWhatIsLeft() }
        return storage
    }

    private func requirePresent(_ account: Account) throws(CallError) {
        guard has(account) else {
            throw CallError(.invalidArguments, "account \(account.id.rawValue) was removed meanwhile")
        }
    }
}
