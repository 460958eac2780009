// AccountImport: what becomes of one account of a file.

import CallClient
import CallModel
import DBus
import EventLoop

/// An account of a file, as far as the schema of a plugin has room for it, and what has become of it.
@LoopActor
struct AccountImport: Sendable {
    enum Outcome: Sendable {
        /// It can be added.
        case new
        /// An account with the same user and domain is there; nothing was changed.
        case present(AccountRow?)
        case added(AccountRow)
        /// Nothing was added, or something is missing of what was added.
        case refused(String, AccountRow?)

        /// The word in JSON.
        var word: String {
            switch self {
            case .new: "new"
            case .present: "present"
            case .added: "added"
            case .refused: "refused"
            }
        }
    }

    let account: ImportedAccount
    let path: String
    /// What the plugin takes of the settings.
    private(set) var settings = VariantDictionary()
    private(set) var notes: [String]
    var outcome = Outcome.new
    let form: AccountForm

    /// Checks an account against the schema, and against the accounts that are there.
    ///
    /// - Parameter earlier: the accounts that this command adds before.
    init(
        _ account: ImportedAccount, of path: String, for form: AccountForm, in book: AccountBook, after earlier: [Self]
    ) {
        (self.account, self.path, self.form) = (account, path, form)
        notes = account.notes
        if let obstacle = account.obstacle {
            outcome = .refused(obstacle, nil)
            return
        }
        do throws(Failure) {
            settings = try form.settings([SettingText("user", account.user), SettingText("domain", account.domain)])
        } catch {
            outcome = .refused(error.message, nil)
            return
        }
        for text in account.settings + [SettingText("label", account.address)] {
            do throws(Failure) {
                settings.merge(try form.settings([text])) { _, new in new }
            } catch {
                notes.append("\(text.key) is left out: \(error.message)")
            }
        }
        let known = Set(form.secrets.map(\.key))
        notes += account.secrets.filter { !known.contains($0.key) }.map { "\(form.plugin) has no secret \($0.key)" }
        let there = book.rows.first { row in
            row.plugin == form.plugin
                && ImportedAccount.isSame(
                    row.settings["user", default: ""], row.settings["domain", default: ""], as: account)
        }
        let isRepeated = earlier.contains { other in
            other.isNew && ImportedAccount.isSame(other.account.user, other.account.domain, as: account)
        }
        if there != nil || isRepeated { outcome = .present(there) }
        if !account.isUsed { notes.append("\(account.source.title) does not use it: it stays disabled") }
    }

    var isNew: Bool { if case .new = outcome { true } else { false } }

    /// The secrets that the plugin takes.
    var secrets: [(key: String, secret: SecretBytes)] {
        let known = Set(form.secrets.map(\.key))
        return account.secrets.filter { known.contains($0.key) }
    }

    /// The required secrets that the file does not have.
    var missing: [AccountField] {
        form.secrets.filter { field in field.isRequired && !secrets.contains { $0.key == field.key } }
    }

    /// The commands that set the missing secrets of the account that was added.
    func next(_ id: String) -> [String] {
        missing.map { field in
            let command = "callctl accounts secret \(id) \(field.key)"
            guard field.key == "password", !account.passwordCommand.isEmpty else { return command }
            return account.passwordCommand.map(\.quotedForShell).joined(separator: " ") + " | \(command) --secret-fd 0"
        }
    }
}

extension String {
    /// This text as one word of a shell.
    var quotedForShell: String {
        let isPlain = !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.@:/".contains($0)) }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }
}

extension AccountImport {
    /// What has become of the account, for people.
    func report(in book: AccountBook) -> String {
        var lines = [headline(in: book)]
        lines += notes.map { "  " + $0 }
        if case .added(let row) = outcome { lines += next(book.shortID(of: row)).map { "  next: " + $0 } }
        return lines.map(\.printable).joined(separator: "\n")
    }

    private func headline(in book: AccountBook) -> String {
        switch outcome {
        case .new: "\(title) is new"
        case .present(let row):
            "skipped \(title): " + (row.map { "\(book.title(of: $0)) is there" } ?? "it is in the file twice")
        case .added(let row): "added \(book.report(on: row))"
        case .refused(let reason, nil): "not added \(title): \(reason)"
        case .refused(let reason, let row?):
            "\(book.title(of: row)) was added and is disabled: \(reason)"
        }
    }

    /// The account's address, or where it stands in the file.
    private var title: String { account.user.isEmpty ? "an account of \(account.source.title)" : account.address }

    /// All that would be added, for people.
    func details(in book: AccountBook, on terminal: Terminal) -> String {
        guard isNew else { return report(in: book) }
        var facts: [(name: String, value: Cell)] = [
            ("account", Cell(title, .bold)), ("program", Cell(account.source.title)),
            ("state", Cell(account.isUsed ? "" : "disabled", .dim)),
        ]
        // User and domain are the account's address, which is its label as well.
        for field in form.fields where !["user", "domain", "label"].contains(field.key) {
            if let value = settings[field.key] { facts.append((field.key.printable, Cell(value.typed))) }
        }
        facts += secrets.map { ($0.key, Cell("set, not shown")) }
        facts += missing.map { ($0.key, Cell("missing", .dim)) }
        facts += notes.map { ("note", Cell($0, .dim)) }
        return Table.facts(facts, on: terminal)
    }

    /// One line for each account.
    static func table(_ imports: [AccountImport], in book: AccountBook, on terminal: Terminal) -> String {
        var table = Table(columns: [.flexible("ACCOUNT"), "PROGRAM", "STATE", .flexible("FILE")])
        table.rows = imports.map { item in
            [
                Cell(item.title, .bold), Cell(item.account.source.title), Cell(item.state(in: book)), Cell(item.path),
            ]
        }
        return table.text(on: terminal)
    }

    private func state(in book: AccountBook) -> String {
        switch outcome {
        case .new: "new"
        case .present(let row): row.map { "is \(book.shortID(of: $0))" } ?? "twice"
        case .added(let row): row.state
        case .refused: "unusable"
        }
    }

    var json: JSON {
        var members = [
            JSON.Member("account", .string(account.address)), JSON.Member("program", .string(account.source.rawValue)),
            JSON.Member("file", .string(path)), JSON.Member("outcome", .string(outcome.word)),
            JSON.Member(
                "settings",
                .object(
                    settings.sorted { $0.key < $1.key }.map { member in
                        JSON.Member(member.key, .string(member.value.typed))
                    })),
            JSON.Member("secrets", .array(secrets.map { .string($0.key) })),
            JSON.Member("missing-secrets", .array(missing.map { .string($0.key) })),
            JSON.Member("notes", .array(notes.map { .string($0) })),
        ]
        switch outcome {
        case .new: break
        case .present(let row): members += row.map(Self.reference) ?? []
        case .added(let row):
            members += Self.reference(row) + [JSON.Member("state", .string(row.state))]
            members.append(JSON.Member("next", .array(next(row.id).map { .string($0) })))
        case .refused(let reason, let row):
            members += (row.map(Self.reference) ?? []) + [JSON.Member("reason", .string(reason))]
        }
        return .object(members)
    }

    private static func reference(_ row: AccountRow) -> [JSON.Member] {
        [JSON.Member("object", .string(row.path.text)), JSON.Member("id", .string(row.id))]
    }
}
