// callctl accounts add: a new account, with its secrets.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct AccountsAddCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an account and use it.",
        discussion: """
            callctl accounts schema PLUGIN shows the keys. label=TEXT is what the account is called. Secrets that are \
            required and have no --secret-fd are asked on the terminal.

            For example: callctl accounts add MonkeyCall zoo=Berlin monkeys=5
            """)

    @Argument(help: "The plugin.", completion: .accountPlugins)
    var plugin: String

    @Argument(help: ArgumentHelp("The settings; those of the type boolean are yes or no.", valueName: "key=value"))
    var settings: [SettingText] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("A secret, and the descriptor to read it from; may be repeated.", valueName: "key=fd"))
    var secretFd: [SecretSource] = []

    @Flag(help: "Do not use the account yet.")
    var disabled = false

    @OptionGroup var secrets: SecretOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws { try SecretSource.check(secretFd.map(\.descriptor)) }

    @LoopActor func run(in session: Session) async throws(Failure) {
        ProcessMemory.keepPrivate()
        let form = try await session.form(of: plugin)
        let settings = try form.settings(settings)
        try form.check(newAccount: settings)
        var given: [(key: String, secret: SecretBytes)] = []
        for source in secretFd {
            let field = try form.secret(source.key)
            given.append((field.key, try SecretBytes(readingAll: source.descriptor, for: field.key)))
        }
        secrets.warn()
        let path: ObjectPath = try await session.call(
            at: DaemonPath.accounts, Contract.accounts, "Add", form.plugin, settings)
        let book = try await session.accounts()
        guard let account = book.rows.first(where: { $0.path == path }) else {
            throw Failure(.unknown, "the account was removed meanwhile")
        }
        var missing = form.secrets.filter { field in
            field.isRequired && !given.contains { $0.key == field.key }
        }
        do {
            for (key, secret) in given { _ = try await session.set(secret, key, of: account, in: secrets.storage) }
            if TerminalQuestion.isPossible {
                try await ask(for: missing, of: account, in: session)
                missing = []
            }
            if !disabled { try await session.set(account, enabled: true) }
        } catch {
            throw Failure(error.outcome, error.message + "\n" + advice(on: account, in: book))
        }
        let now = try await session.settled(account)
        try session.output.result(
            report(on: now, in: book, lacking: missing), json: now.json(lacking: missing))
    }

    @LoopActor private func ask(
        for fields: [AccountField], of account: AccountRow, in session: Session
    ) async throws(Failure) {
        for field in fields {
            guard let secret = try TerminalQuestion.secret(field.label) else {
                throw Failure(.refused, "no \(field.key) was given".printable)
            }
            _ = try await session.set(secret, field.key, of: account, in: secrets.storage)
        }
    }

    /// What to do about an account that was added without its secrets.
    private func advice(on account: AccountRow, in book: AccountBook) -> String {
        let id = book.shortID(of: account)
        return "\(book.title(of: account)) was added and is disabled; see callctl accounts show \(id)"
    }

    private func report(on account: AccountRow, in book: AccountBook, lacking missing: [AccountField]) -> String {
        let id = book.shortID(of: account)
        var lines = ["added \(book.report(on: account))"]
        // Of a file, a warning has been printed.
        if account.text("SecretStorage") == SecretStorage.memory.rawValue {
            lines.append("its secrets are \(SecretOptions.place("memory"))")
        }
        lines += missing.map { "next: callctl accounts secret \(id) \($0.key)" }
        return lines.joined(separator: "\n")
    }
}

extension AccountRow {
    /// The account, and the required secrets that it lacks.
    fileprivate func json(lacking missing: [AccountField]) -> JSON {
        .object([
            JSON.Member("object", .string(path.text)), JSON.Member("id", .string(id)),
            JSON.Member("state", .string(state)),
            JSON.Member("missing-secrets", .array(missing.map { .string($0.key) })),
        ])
    }
}
