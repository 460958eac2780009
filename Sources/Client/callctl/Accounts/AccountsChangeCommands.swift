// callctl accounts set, secret, remove.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct AccountsSetCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change settings of an account.",
        discussion: "For example: callctl accounts set berlin monkeys=7 --unset label")

    @Argument(help: "The account.", completion: .accounts)
    var account: String

    @Argument(help: ArgumentHelp("The new settings, all or none.", valueName: "key=value"))
    var settings: [SettingText] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A setting that loses its value; may be repeated.", valueName: "key"))
    var unset: [String] = []

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard !settings.isEmpty || !unset.isEmpty else { throw ValidationError("expected key=value or --unset key") }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        let account = try await session.accounts().find(account)
        let form = try await session.form(ofPlugin: account.plugin)
        let _: Void = try await session.call(
            at: account.path, Contract.account, "Update", try form.settings(settings), unset)
        let book = try await session.accounts()
        let now = try book.find(account.id)
        try session.output.result("changed \(book.title(of: now))", json: now.json)
    }
}

struct AccountsSecretCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Set or clear a secret of an account.",
        discussion: """
            Asks for the secret on the terminal, without showing it, or reads it from a descriptor to its end.

            For example: callctl accounts secret berlin pin --secret-fd 3 3<file
            """)

    @Argument(help: "The account.", completion: .accounts)
    var account: String

    @Argument(help: "The secret's key, see callctl accounts schema.")
    var key: String

    @Option(help: ArgumentHelp("The descriptor to read it from.", valueName: "fd"))
    var secretFd: Int32?

    @Flag(help: "Clear it.")
    var clear = false

    @OptionGroup var secrets: SecretOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard !clear || secretFd == nil && secrets.storage == nil else {
            throw ValidationError("--clear needs neither --secret-fd nor --storage")
        }
        try SecretSource.check(secretFd.map { [$0] } ?? [])
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        ProcessMemory.keepPrivate()
        let book = try await session.accounts()
        let account = try book.find(account)
        let title = book.title(of: account)
        if clear {
            // One of a schema that has changed can be cleared.
            let isSet = account.words("SecretsPresent").contains(key)
            if !isSet { _ = try await session.form(ofPlugin: account.plugin).secret(key) }
            let _: Void = try await session.call(at: account.path, Contract.account, "ClearSecret", key)
            return try session.output.result(
                (isSet ? "cleared \(key) of \(title)" : "\(title) has no \(key)").printable, json: account.reference)
        }
        let field = try await session.form(ofPlugin: account.plugin).secret(key)
        secrets.warn()
        let place = try await session.set(try secret(field), field.key, of: account, in: secrets.storage)
        try session.output.result(
            "\(field.key) of \(title) is \(SecretOptions.place(place))".printable,
            json: .object([
                JSON.Member("object", .string(account.path.text)), JSON.Member("id", .string(account.id)),
                JSON.Member("storage", .string(place)),
            ]))
    }

    @LoopActor private func secret(_ field: AccountField) throws(Failure) -> SecretBytes {
        if let secretFd { return try SecretBytes(readingAll: secretFd, for: field.key) }
        guard TerminalQuestion.isPossible else {
            throw Failure(.usage, "there is no terminal to ask for \(field.key), expected --secret-fd")
        }
        guard let secret = try TerminalQuestion.secret(field.label) else {
            throw Failure(.refused, "no \(field.key) was given")
        }
        return secret
    }
}

struct AccountsRemoveCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an account and its secrets; its calls end.",
        discussion: "Asks before it does so.")

    @Argument(help: "The account.", completion: .accounts)
    var account: String

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let book = try await session.accounts()
        let account = try book.find(account)
        let title = book.title(of: account)
        if !yes {
            guard TerminalQuestion.isPossible else {
                throw Failure(.usage, "this removes \(title) and its secrets; confirm with --yes")
            }
            guard try TerminalQuestion.confirms("Remove \(title) and its secrets?") else {
                throw Failure(.refused, "\(title) was not removed")
            }
        }
        let _: Void = try await session.call(at: account.path, Contract.account, "Remove")
        try session.output.result("removed \(title)", json: account.reference)
    }
}
