// AccountStanding: how an account fares.

import CallModel
import WorkerLaunch

/// Raw values are the words on the bus.
enum AccountState: String, Sendable, CaseIterable {
    case disabled, incomplete
    case needsSecret = "needs-secret"
    case locked, connecting, ready, failed
}

/// Why an account failed; raw values are the words on the bus.
enum AccountProblem: String, Sendable, CaseIterable {
    case none = ""
    case badCredentials = "bad-credentials"
    case unreachable, certificate, unsupported
}

/// What the bus shows of it.
struct AccountStanding: Sendable, Equatable {
    var state: AccountState
    var problem = AccountProblem.none
    /// One sentence for people, or "".
    var text = ""

    /// Why the secrets of an account cannot be had.
    enum Trouble: Sendable, Equatable {
        case locked
        /// The reason, for people.
        case unavailable(String)
    }

    /// - Parameters:
    ///   - schema: the plugin's, or why there is none.
    ///   - trouble: what the last look-up of its secrets came upon.
    ///   - report: the plugin's latest word.
    init(
        _ record: AccountRecord, _ schema: Result<AccountSchema, CallError>, trouble: Trouble?,
        report: AccountStanding?
    ) {
        self.init(.connecting)
        guard record.isEnabled else {
            self = AccountStanding(.disabled)
            return
        }
        switch schema {
        case .failure(let error): self = AccountStanding(.failed, .unsupported, error.message)
        case .success(let schema): take(record, schema, trouble, report)
        }
    }

    init(_ state: AccountState, _ problem: AccountProblem = .none, _ text: String = "") {
        (self.state, self.problem, self.text) = (state, problem, text)
    }

    /// A plugin's word.
    ///
    /// - Throws: `InvalidArguments` for a word that no plugin may say.
    init(reported state: String, _ problem: String, _ text: String) throws(CallError) {
        let states: [AccountState] = [.connecting, .ready, .failed]
        guard let state = states.first(where: { $0.rawValue == state }) else {
            let known = states.map(\.rawValue).joined(separator: ", ")
            throw CallError(.invalidArguments, "state is \"\(state.excerpt)\", expected one of \(known)")
        }
        guard let word = AccountProblem(rawValue: problem), (word == .none) == (state != .failed) else {
            let known = AccountProblem.allCases.dropFirst().map(\.rawValue).joined(separator: ", ")
            throw CallError(
                .invalidArguments, "problem is \"\(problem.excerpt)\", expected one of \(known) if state is failed")
        }
        self.init(state, word, String(text.displayable.prefix(Self.maximumText)))
    }

    /// The longest sentence of a plugin, in characters.
    private static let maximumText = 256

    private mutating func take(
        _ record: AccountRecord, _ schema: AccountSchema, _ trouble: Trouble?, _ report: AccountStanding?
    ) {
        if let missing = schema.missing(in: record.settings) {
            self = AccountStanding(.incomplete, .none, "\(missing) is missing")
            return
        }
        do throws(CallError) {
            try schema.check(record.settings)
        } catch {
            self = AccountStanding(.incomplete, .none, error.message)
            return
        }
        if let missing = record.missingSecret(of: schema) {
            self = AccountStanding(.needsSecret, .none, "\(missing) is missing")
            return
        }
        switch trouble {
        case .locked: self = AccountStanding(.locked, .none, "the keyring is locked")
        case .unavailable(let reason): self = AccountStanding(.needsSecret, .none, reason)
        case nil: self = report ?? self
        }
    }
}
