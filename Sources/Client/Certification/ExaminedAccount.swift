// ExaminedAccount: the account with which a plugin is examined.

import CallModel
import CallWire
import DBus
import WorkerLaunch

/// An account of the file of `callctl certify --settings`. It is kept nowhere.
struct ExaminedAccount: Sendable {
    let id: AccountID
    /// With the defaults of those that the file leaves out.
    let settings: [String: AccountValue]
    private(set) var secrets: [String: String]

    /// The `key` of the configuration of its provider.
    var key: String { id.pathElement }

    init(settings: [String: AccountValue], secrets: [String: String]) {
        var generator = SystemRandomNumberGenerator()
        id = AccountID.random(using: &generator)
        self.settings = settings
        self.secrets = secrets
    }

    /// The same account with secrets that no network takes.
    var withWrongSecrets: ExaminedAccount {
        var account = self
        account.secrets = secrets.mapValues { $0 == Self.wrongSecrets[0] ? Self.wrongSecrets[1] : Self.wrongSecrets[0] }
        return account
    }

    private static let wrongSecrets = ["0000", "1111"]

    /// The account as SetAccounts hands it over.
    func wire(generation: UInt32) -> AccountWire {
        Struct(id.rawValue, generation, settings.mapValues(\.variant), secrets.mapValues { Array($0.utf8) })
    }
}
