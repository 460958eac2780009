// What is shown of one account, and of a schema.

import CallClient
import CallModel
import DBus

extension AccountRow {
    /// Returns all facts of the account, with the settings and secrets that its plugin wants.
    func details(_ form: AccountForm?, on terminal: Terminal) -> String {
        let present = words("SecretsPresent")
        var facts: [(name: String, value: Cell)] = [
            ("id", Cell(id, .bold)), ("name", Cell(name)), ("plugin", Cell(plugin)),
            ("state", Cell(state, stateStyle)), ("problem", Cell(text("Problem"))), ("text", Cell(text("Text"))),
            ("provider", Cell(path("Provider").lastElement)),
        ]
        let fields = form?.fields.filter { $0.kind != .secret } ?? []
        for field in fields {
            if let value = settings[field.key] {
                facts.append((field.key.printable, Cell(value.typed)))
            } else if let standard = field.standard {
                facts.append((field.key.printable, Cell("\(standard.typed) (default)", .dim)))
            }
        }
        // What is set of a schema that is gone, or has changed.
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) where !fields.contains(where: { $0.key == key }) {
            facts.append((key.printable, Cell("\(value.typed) (unknown)")))
        }
        let secrets = form?.secrets ?? []
        for field in secrets where !present.contains(field.key) {
            facts.append((field.key.printable, Cell(field.isRequired ? "missing" : "not set", .dim)))
        }
        for key in present { facts.append((key.printable, "set, not shown")) }
        let place = SecretOptions.place(text("SecretStorage"))
        facts.append(("secrets", Cell(place, keepsSecretsInFile ? .yellow : .plain)))
        return Table.facts(facts, on: terminal)
    }

    /// The account without its values, for commands that change it.
    var reference: JSON {
        .object([JSON.Member("object", .string(path.text)), JSON.Member("id", .string(id))])
    }
}

extension AccountForm {
    func table(on terminal: Terminal) -> String {
        guard !fields.isEmpty else { return "\(plugin) wants to know nothing".printable }
        var table = Table(columns: [
            .main("KEY"), .flexible("LABEL").leaves(3), .fixed("NEEDED").leaves(2), .flexible("VALUE"),
            .flexible("DEFAULT").leaves(1),
        ])
        table.rows = fields.map { field in
            [
                Cell(field.key, .bold), Cell(field.label), Cell(field.isRequired ? "yes" : ""), Cell(field.expected),
                Cell(field.standard?.typed ?? ""),
            ]
        }
        return table.text(on: terminal)
    }

    var json: JSON { .array(fields.map(\.json)) }
}

extension AccountField {
    fileprivate var json: JSON {
        var members = [
            JSON.Member("key", .string(key)), JSON.Member("type", .string(kind.rawValue)),
            JSON.Member("label", .string(label)), JSON.Member("required", .bool(isRequired)),
            JSON.Member("reconnect", .bool(needsReconnect)),
        ]
        switch standard {
        case .string(let text): members.append(JSON.Member("default", .string(text)))
        case .boolean(let flag): members.append(JSON.Member("default", .bool(flag)))
        case .number(let number): members.append(JSON.Member("default", .unsigned(UInt64(number))))
        case nil: break
        }
        if !values.isEmpty { members.append(JSON.Member("values", .array(values.map { .string($0) }))) }
        if kind == .number {
            members.append(JSON.Member("minimum", .unsigned(UInt64(minimum))))
            members.append(JSON.Member("maximum", .unsigned(UInt64(maximum))))
        }
        return .object(members)
    }
}
