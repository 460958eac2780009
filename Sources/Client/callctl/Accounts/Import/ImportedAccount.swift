// ImportedAccount: an account as another program has it, with the keys of a SIP plugin's schema.

import CallModel
import DBus
import EventLoop
import Files

/// The programs whose accounts can be imported. The raw values are the words in JSON.
enum ImportSource: String, Sendable {
    case gnomeCalls = "gnome-calls"
    case linphone

    var title: String {
        switch self {
        case .gnomeCalls: "GNOME Calls"
        case .linphone: "Linphone"
        }
    }
}

/// What a file says of one account.
@LoopActor
struct ImportedAccount: Sendable {
    let source: ImportSource
    var user = ""
    var domain = ""
    /// The settings besides user and domain.
    private(set) var settings: [SettingText] = []
    private(set) var secrets: [(key: String, secret: SecretBytes)] = []
    /// Whether the program uses it.
    var isUsed = true
    /// What is not imported, for people.
    private(set) var notes: [String] = []
    /// Why it cannot be imported at all.
    var obstacle: String?
    /// The words of a command that prints the password.
    var passwordCommand: [String] = []

    /// What others call it.
    var address: String { "\(user)@\(domain)" }

    init(from source: ImportSource) { self.source = source }

    /// Domains are the same in capital letters, users are not.
    static func isSame(_ user: String, _ domain: String, as other: ImportedAccount) -> Bool {
        user == other.user && domain.lowercased() == other.domain.lowercased()
    }

    mutating func set(_ key: String, _ value: String?) {
        if let value { settings.append(SettingText(key, value)) }
    }

    mutating func set(_ key: String, _ secret: SecretBytes) { secrets.append((key, secret)) }

    mutating func note(_ text: String) { notes.append(text) }

    /// Takes the secret of a file over, or notes why not.
    mutating func readSecret(
        _ key: String, _ name: String, of file: KeyFile, in group: KeyFile.Group, _ dialect: KeyFileDialect
    ) {
        do throws(Failure) {
            if let secret = try file.secret(name, in: group, dialect) { set(key, secret) }
        } catch {
            note("the \(key) is longer than \(AccountField.maximumSecret) bytes, and left out")
        }
    }
}

/// The accounts of one file.
@LoopActor
struct ImportedFile: Sendable {
    /// More accounts than any person has, and than the daemon takes.
    nonisolated static let maximumAccounts = 64

    let path: String
    let source: ImportSource
    let accounts: [ImportedAccount]

    /// Reads a file.
    ///
    /// - Throws: `unknown` if there is none, `refused` if it cannot be read, `malformed` if it is of no program.
    init(_ path: String) throws(Failure) { try self.init(KeyFile(path), at: path) }

    /// Takes the accounts from a file of any of the programs; its content tells which.
    ///
    /// - Throws: `malformed` if it is of none, or has too many accounts.
    init(_ file: KeyFile, at path: String) throws(Failure) {
        self.path = path
        if let linphone = LinphoneFile(file) {
            source = .linphone
            try Self.check(linphone.count, path)
            accounts = linphone.accounts()
        } else if let calls = GNOMECallsFile(file) {
            source = .gnomeCalls
            try Self.check(calls.count, path)
            accounts = calls.accounts()
        } else {
            throw Failure(.malformed, "\(path) has neither accounts of GNOME Calls nor of Linphone")
        }
    }

    private static func check(_ count: Int, _ path: String) throws(Failure) {
        guard count <= maximumAccounts else {
            throw Failure(.malformed, "\(path) has \(count) accounts, expected \(maximumAccounts) at most")
        }
    }

    /// Returns the files of the programs that may be there, the present place of each program first.
    nonisolated static func usualPaths(_ environment: [String: String]) -> [String] {
        guard let home = BaseFolder.home(in: environment),
            let configuration = BaseFolder.config.path(in: environment)
        else { return [] }
        // The last ones of each are those of Flatpak.
        return [
            configuration + "/calls/sip-account.cfg",
            home + "/.var/app/org.gnome.Calls/config/calls/sip-account.cfg",
            configuration + "/linphone/linphonerc", home + "/.linphonerc",
            home + "/.var/app/com.belledonnecommunications.linphone/config/linphone/linphonerc",
        ]
    }
}
