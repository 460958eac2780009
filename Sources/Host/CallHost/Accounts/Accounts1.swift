// org.opencallkit.Accounts1: what plugins want to know of accounts, and new accounts.

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
