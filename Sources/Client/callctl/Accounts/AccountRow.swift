// The accounts as callctl shows and finds them.

import CallClient
import CallModel
import DBus
import EventLoop

/// An account, as Account1 shows it.
struct AccountRow: Readable, Sendable, Equatable {
    let path: ObjectPath
    var properties: VariantDictionary
    /// What the user calls it, or its first required text.
    let name: String

    /// - Parameter form: the schema of its plugin, if there is one.
    init(_ path: ObjectPath, _ properties: VariantDictionary, form: AccountForm?) {
        (self.path, self.properties) = (path, properties)
        let settings = properties["Settings", default: VariantDictionary()]
        let keys = ["label"] + (form?.titleKey.map { [$0] } ?? [])
        name = keys.map { settings[$0, default: ""] }.first { !$0.isEmpty } ?? ""
    }

    var id: String { text("Id") }
    var plugin: String { text("Plugin") }
    var state: String { text("State") }
    var settings: VariantDictionary { value("Settings") ?? [:] }

    /// The problem and the sentence about it.
    var trouble: String { [text("Problem"), text("Text")].filter { !$0.isEmpty }.joined(separator: ": ") }

    var stateStyle: Style {
        switch state {
        case "ready": .green
        case "connecting", "incomplete", "needs-secret", "locked": .yellow
        case "failed": .red
        default: .dim
        }
    }

    var keepsSecretsInFile: Bool { text("SecretStorage") == SecretStorage.file.rawValue }

    var json: JSON { .object([JSON.Member("object", .string(path.text))] + properties.propertyMembers) }
}

/// All accounts, by plugin and name.
struct AccountBook: Sendable, Equatable {
    let rows: [AccountRow]

    init(_ rows: [AccountRow]) {
        self.rows = rows.sorted { ($0.plugin, $0.name, $0.id) < ($1.plugin, $1.name, $1.id) }
    }

    /// Returns the account that `reference` names: an id, the beginning of one, or a name.
    ///
    /// - Throws: if there is none, or several.
    func find(_ reference: String) throws(Failure) -> AccountRow {
        let wanted = reference.lowercased()
        if let exact = rows.first(where: { $0.id == wanted || $0.path.text == reference }) { return exact }
        let digits = Self.digits(of: wanted)
        let fitting = rows.filter { row in
            row.name.lowercased() == wanted || !digits.isEmpty && Self.digits(of: row.id).hasPrefix(digits)
        }
        guard let only = fitting.first else {
            let known = rows.isEmpty ? "; there are no accounts" : ", expected one of:\n" + lines(of: rows)
            throw Failure(.unknown, "no account \"\(reference)\"" + known)
        }
        guard fitting.count == 1 else {
            throw Failure(.unknown, "\"\(reference)\" matches \(fitting.count) accounts:\n" + lines(of: fitting))
        }
        return only
    }

    /// The beginning of an account's id that no other has.
    func shortID(of row: AccountRow) -> String { String(row.id.prefix(shortLength)) }

    /// The account for people: its short id and its name.
    func title(of row: AccountRow) -> String {
        (row.name.isEmpty ? shortID(of: row) : "\(shortID(of: row)) (\(row.name))").printable
    }

    /// Returns the title of an account and how it fares.
    func report(on row: AccountRow) -> String {
        "\(title(of: row)): \(row.state)" + (row.trouble.isEmpty ? "" : ", \(row.trouble)".printable)
    }

    func table(on terminal: Terminal) -> String {
        guard !rows.isEmpty else { return "no accounts" }
        var table = Table(columns: [
            "ID", .flexible("PLUGIN").leaves(1), .main("NAME"), "STATE", .flexible("PROBLEM"),
        ])
        table.rows = rows.map { row in
            [
                Cell(shortID(of: row), .bold), Cell(row.plugin), Cell(row.name), Cell(row.state, row.stateStyle),
                Cell(row.trouble),
            ]
        }
        let warnings = rows.filter(\.keepsSecretsInFile).map { row in
            Style.yellow.applied(
                to: "\(shortID(of: row)): \(SecretOptions.fileWarning)".fitted(to: terminal.width), on: terminal)
        }
        return ([table.text(on: terminal)] + warnings).joined(separator: "\n")
    }

    /// The number of characters that distinguish the ids; at least 8.
    private var shortLength: Int {
        var length = 8
        while length < 36, Set(rows.map { $0.id.prefix(length) }).count < Set(rows.map(\.id)).count { length += 1 }
        return length
    }

    private func lines(of rows: [AccountRow]) -> String {
        rows.map { "  \(shortID(of: $0))  \($0.plugin)  \($0.name)" }.joined(separator: "\n")
    }

    /// An id, or the beginning of one, without hyphens.
    private static func digits(of text: String) -> String { text.filter { $0 != "-" && $0 != "_" } }
}

extension Session {
    /// How long a command waits for an account that connects.
    private nonisolated static let connectingTimeout = Duration.seconds(5)

    func accounts() async throws(Failure) -> AccountBook {
        let objects: ManagedObjects = try await call(
            at: DaemonPath.system, StandardInterface.objectManager, "GetManagedObjects",
            waiting: Self.quickTimeout)
        var forms: [String: AccountForm] = [:]
        var rows: [AccountRow] = []
        for (path, interfaces) in objects where interfaces[Contract.account] != nil {
            // The list of objects has no settings. An account that has gone meanwhile is left out.
            guard let properties = try await properties(ofAccount: path) else { continue }
            let plugin: String = properties["Plugin", default: ""]
            // The plugin of an account may be gone.
            if forms[plugin] == nil { forms[plugin] = try? await form(ofPlugin: plugin) }
            rows.append(AccountRow(path, properties, form: forms[plugin]))
        }
        return AccountBook(rows)
    }

    /// Returns nil if there is no such account any more.
    private func properties(ofAccount path: ObjectPath) async throws(Failure) -> VariantDictionary? {
        do {
            return try await call(
                at: path, StandardInterface.properties, "GetAll", Contract.account, waiting: Self.quickTimeout)
        } catch {
            guard error.outcome == .unknown else { throw error }
            return nil
        }
    }

    /// Returns the ids of the plugins with accounts.
    func accountPlugins() async throws(Failure) -> [String] {
        try await property("Plugins", of: Contract.accounts, at: DaemonPath.accounts)
    }

    /// Returns the schema of the plugin that `reference` names: an id, or the beginning of one.
    ///
    /// - Throws: also if there is no such plugin, or it has no schema.
    func form(of reference: String) async throws(Failure) -> AccountForm {
        let plugins = try await accountPlugins()
        let wanted = reference.lowercased()
        let isKnown = !wanted.isEmpty && plugins.contains { $0.lowercased().hasPrefix(wanted) }
        // The daemon tells what is wrong with others.
        let id = isKnown ? try Snapshot.find(reference, in: plugins, "plugin", id: { $0 }, path: { $0 }) : reference
        return try await form(ofPlugin: id)
    }

    func form(ofPlugin id: String) async throws(Failure) -> AccountForm {
        let fields: [VariantDictionary] = try await call(
            at: DaemonPath.accounts, Contract.accounts, "Schema", id, waiting: Self.quickTimeout)
        return AccountForm(plugin: id, wire: fields)
    }

    func set(_ account: AccountRow, enabled isEnabled: Bool) async throws(Failure) {
        try await setProperty("Enabled", of: Contract.account, at: account.path, to: isEnabled)
    }

    /// Returns the account once it is no longer connecting, or a while after `start`.
    func settled(
        _ account: AccountRow, since start: MonotonicTime = .now
    ) async throws(Failure) -> AccountRow {
        let changes = changes
        var account = account
        while true {
            account.properties = try await call(
                at: account.path, StandardInterface.properties, "GetAll", Contract.account,
                waiting: Self.quickTimeout)
            let rest = Self.connectingTimeout - MonotonicTime.now.duration(since: start)
            guard account.state == "connecting", rest > .zero else { return account }
            try await changes.change(within: rest)
        }
    }
}
