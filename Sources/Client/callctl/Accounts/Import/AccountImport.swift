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
