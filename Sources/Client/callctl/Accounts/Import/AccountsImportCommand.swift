// callctl accounts import: the accounts of other programs.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct AccountsImportCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import SIP accounts of GNOME Calls or Linphone.",
        discussion: """
            Without a file, lists the accounts that are in the usual places, and adds nothing. An account that is there \
            already, with the same user and domain, is skipped. Passwords that are in the file are taken over; GNOME \
            Calls has them in the keyring: the command that takes one from there is printed. The other program keeps \
            its accounts.

            For example: callctl accounts import ~/.config/linphone/linphonerc --dry-run
            """)

    @Argument(help: "The file of the other program.", completion: .file())
    var file: String?

    @Option(help: "The plugin that gets the accounts.")
    var plugin = "SIP"

    @Flag(help: "Show what would be added, and add nothing.")
    var dryRun = false

    @Flag(help: "Do not use the accounts yet.")
    var disabled = false

    @OptionGroup var secrets: SecretOptions
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        ProcessMemory.keepPrivate()
        let files = try file.map { (path) throws(Failure) in [try ImportedFile(path)] } ?? Self.found()
        let form = try await session.form(of: plugin)
        for key in ["user", "domain"] where !form.fields.contains(where: { $0.key == key && $0.kind == .string }) {
            throw Failure(CallError(.notSupported, "\(form.plugin) has no setting \(key), as SIP accounts have"))
        }
        let book = try await session.accounts()
        var imports: [AccountImport] = []
        for file in files {
            for account in file.accounts {
                imports.append(AccountImport(account, of: file.path, for: form, in: book, after: imports))
            }
        }
        guard file != nil else { return try list(imports, in: book, session.output) }
        if dryRun {
            let shown = imports.map { $0.details(in: book, on: session.output.terminal) }
            return try session.output.result(
                imports.isEmpty ? "no accounts" : shown.joined(separator: "\n\n"), json: .array(imports.map(\.json)))
        }
        secrets.warn()
        try await add(&imports, to: form.plugin, in: session)
        let now = try await session.accounts()
        try session.output.result(
            imports.isEmpty ? "no accounts" : imports.map { $0.report(in: now) }.joined(separator: "\n"),
            json: .array(imports.map(\.json)))
        let refused = imports.count { if case .refused = $0.outcome { true } else { false } }
        if refused > 0 { throw Failure(.refused, "\(refused) of \(imports.count) accounts were not imported") }
    }

    /// Reads the files in the usual places, and complains of those that cannot be read.
    @LoopActor private static func found() -> [ImportedFile] {
        ImportedFile.usualPaths(ProcessEnvironment.current).compactMap { path in
            do throws(Failure) {
                return try ImportedFile(path)
            } catch {
                if error.outcome != .unknown { Output.complain("warning: \(error.message)") }
                return nil
            }
        }
    }

    @LoopActor private func list(_ imports: [AccountImport], in book: AccountBook, _ output: Output) throws(Failure) {
        guard !imports.isEmpty else {
            let places = ImportedFile.usualPaths(ProcessEnvironment.current)
            return try output.result(
                (["no accounts of GNOME Calls or Linphone; looked for:"] + places.map { "  \($0.printable)" })
                    .joined(separator: "\n"), json: .array([]))
        }
        var lines = [AccountImport.table(imports, in: book, on: output.terminal)]
        var paths: [String] = []
        for item in imports where item.isNew && !paths.contains(item.path) { paths.append(item.path) }
        lines += paths.map { "next: callctl accounts import \($0.quotedForShell)".printable }
        try output.result(lines.joined(separator: "\n"), json: .array(imports.map(\.json)))
    }

    /// Adds all that are new, with their secrets. What is refused of one does not keep the others back.
    @LoopActor private func add(
        _ imports: inout [AccountImport], to plugin: String, in session: Session
    ) async throws(Failure) {
        for place in imports.indices where imports[place].isNew {
            imports[place].outcome = try await added(imports[place], to: plugin, in: session)
        }
        let start = MonotonicTime.now
        for place in imports.indices {
            guard case .added(let row) = imports[place].outcome else { continue }
            imports[place].outcome = .added(try await session.settled(row, since: start))
        }
    }

    @LoopActor private func added(
        _ item: AccountImport, to plugin: String, in session: Session
    ) async throws(Failure) -> AccountImport.Outcome {
        var row: AccountRow?
        do {
            let path: ObjectPath = try await session.call(
                at: DaemonPath.accounts, Contract.accounts, "Add", plugin, item.settings)
            let id = path.lastElement.replacing("_", with: "-")
            let new = AccountRow(path, ["Id": .string(id), "Settings": Variant(item.settings)], form: nil)
            row = new
            for (key, secret) in item.secrets { _ = try await session.set(secret, key, of: new, in: secrets.storage) }
            if !disabled, item.account.isUsed { try await session.set(new, enabled: true) }
            return .added(new)
        } catch {
            // Without the daemon, the others fail as well.
            guard error.outcome == .refused || error.outcome == .unknown else { throw error }
            return .refused(error.message, row)
        }
    }
}
