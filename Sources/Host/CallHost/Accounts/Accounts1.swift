// org.opencallkit.Accounts1 and Account1: what plugins want to know of accounts, and the accounts.

import CallModel
import CallWire
import DBus
import EventLoop
import WorkerLaunch

@LoopActor
final class AccountsObject {
    private unowned let accounts: AccountSupervisor

    init(_ accounts: AccountSupervisor) { self.accounts = accounts }

    static let interface = Interface<AccountsObject>(Contract.accounts) {
        Method("Schema", in: ["plugin"], out: ["fields"]) {
            (object: AccountsObject, _, plugin: String) throws(CallError) -> [VariantDictionary] in
            try object.accounts.schema(of: plugin).get().fields.map(\.wire)
        }
        Method("Add", in: ["plugin", "settings"], out: ["account"]) {
            (object: AccountsObject, _, plugin: String, settings: VariantDictionary) throws(CallError) -> ObjectPath in
            let account = try object.accounts.add(plugin, try AccountValue.settings(wire: settings))
            return AccountObject.path(of: account.id)
        }
        Property("Plugins") { (object: AccountsObject) in object.accounts.plugins }
    }
}

/// Shows an account as it was announced last.
@LoopActor
final class AccountObject {
    private let account: Account
    private unowned let accounts: AccountSupervisor
    private var facts: Facts

    private struct Facts: Equatable {
        let record: AccountRecord
        let standing: AccountStanding
        let provider: ObjectPath
    }

    init(_ account: Account, of accounts: AccountSupervisor) {
        self.account = account
        self.accounts = accounts
        facts = Self.facts(account, accounts)
    }

    nonisolated static func path(of id: AccountID) -> ObjectPath {
        ObjectPath.accounts.appending(id.pathElement) ?? .root
    }

    private static func facts(_ account: Account, _ accounts: AccountSupervisor) -> Facts {
        Facts(
            record: account.shown, standing: account.standing(accounts.schema(of: account.record.plugin)),
            provider: accounts.provider(of: account))
    }

    /// Takes the account's new values over and returns the names of the properties that change with them.
    func showChanges() -> [String] {
        let old = AccountObject(account, of: accounts)
        (old.facts, facts) = (facts, old.facts)
        return Self.interface.differences(between: old, and: self)
    }

    static let interface = Interface<AccountObject>(Contract.account) {
        Property("Plugin", changes: .constant) { (object: AccountObject) in object.facts.record.plugin }
        Property("Id", changes: .constant) { (object: AccountObject) in object.facts.record.id.rawValue }
        Property("Settings", changes: .invalidates) { (object: AccountObject) -> VariantDictionary in
            object.facts.record.settings.mapValues(\.variant)
        }
        Property("SecretsPresent") { (object: AccountObject) in object.facts.record.secrets.sorted() }
        Property("SecretStorage") { (object: AccountObject) in object.facts.record.storage?.rawValue ?? "" }
        Property(
            "Enabled", get: { (object: AccountObject) in object.facts.record.isEnabled },
            set: { (object: AccountObject, _, isEnabled: Bool) in
                try object.accounts.set(object.account, enabled: isEnabled)
            })
        Property("Provider") { (object: AccountObject) in object.facts.provider }
        Property("State") { (object: AccountObject) in object.facts.standing.state.rawValue }
        Property("Problem") { (object: AccountObject) in object.facts.standing.problem.rawValue }
        Property("Text") { (object: AccountObject) in object.facts.standing.text }
        Method("Update", in: ["settings", "unset"]) {
            (object: AccountObject, _, settings: VariantDictionary, unset: [String]) in
            try object.accounts.update(object.account, try AccountValue.settings(wire: settings), unset: unset)
        }
        DeferredMethod("SetSecret", in: ["key", "secret", "options"], out: ["storage"]) {
            (
                object: AccountObject, invocation: Invocation<String>, key: String, secret: OwnedDescriptor,
                options: VariantDictionary
            ) in
            let wish = try options.optionalWord("storage", as: SecretStorage.self)
            invocation.answer {
                try await object.accounts.setSecret(key, secret, wish, of: object.account).rawValue
            }
        }
        DeferredMethod("ClearSecret", in: ["key"]) { (object: AccountObject, invocation: VoidInvocation, key: String) in
            invocation.answer { try await object.accounts.clearSecret(key, of: object.account) }
        }
        Method("Retry") { (object: AccountObject, _) in try object.accounts.retry(object.account) }
        Method("Remove") { (object: AccountObject, _) in try object.accounts.remove(object.account) }
    }
}
