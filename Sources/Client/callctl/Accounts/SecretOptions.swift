// Where secrets come from, and where they are kept.

public import ArgumentParser
public import CallModel
import DBus
import EventLoop
import Glibc

extension SecretStorage: ExpressibleByArgument {}

/// The options of commands that set secrets.
struct SecretOptions: ParsableArguments, Sendable {
    static let fileWarning = "secrets are in a file, not encrypted"

    @Option(
        help: """
            Where the account's secrets are kept: in the keyring, in memory until callkitd ends, or in a file that is \
            not encrypted. Default: where its others are, or else the keyring.
            """)
    var storage: SecretStorage?

    /// Warns of a file.
    func warn() {
        if storage == .file { Output.complain("warning: \(Self.fileWarning)") }
    }

    /// Returns a place of secrets for people.
    static func place(_ storage: String) -> String {
        switch SecretStorage(rawValue: storage) {
        case .keyring: "in the keyring"
        case .memory: "in memory, until callkitd ends"
        case .file: "in a file, not encrypted"
        case nil: storage
        }
    }
}

/// `key=number`: the open file descriptor that has a secret.
struct SecretSource: ExpressibleByArgument, Sendable, Equatable {
    let key: String
    let descriptor: Int32

    init?(argument: String) {
        guard let text = SettingText(argument: argument), let number = Int32(text.value), number >= 0 else {
            return nil
        }
        (key, descriptor) = (text.key, number)
    }

    /// - Throws: if a descriptor is not open, or a terminal, which would show what is typed. This must be asked before
    ///   callctl opens descriptors of its own.
    static func check(_ descriptors: [Int32]) throws {
        for descriptor in descriptors {
            guard fcntl(descriptor, F_GETFD) >= 0 else {
                throw ValidationError("the descriptor \(descriptor) is not open")
            }
            guard isatty(descriptor) == 0 else {
                throw ValidationError("the descriptor \(descriptor) is a terminal; leave --secret-fd out")
            }
        }
        guard Set(descriptors).count == descriptors.count else {
            throw ValidationError("each secret needs a descriptor of its own")
        }
    }
}

extension Session {
    /// A keyring that is locked asks the user, who may take his time.
    private nonisolated static let keyringTimeout = Duration.seconds(310)

    /// Sets a secret of an account, and returns the word for where it is now.
    func set(
        _ secret: SecretBytes, _ key: String, of account: AccountRow, in storage: SecretStorage?
    ) async throws(Failure) -> String {
        try secret.check(for: key)
        var options = VariantDictionary()
        options.set("storage", storage?.rawValue)
        let place: String = try await call(
            at: account.path, Contract.account, "SetSecret", key, try secret.pipe(), options,
            waiting: Self.keyringTimeout)
        if place == SecretStorage.file.rawValue, storage != .file {
            Output.complain("warning: \(SecretOptions.fileWarning)")
        }
        return place
    }
}
