// What is shown of accounts that are imported.

import CallModel
import DBus

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
        return Table.wholeFacts(facts, on: terminal)
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
