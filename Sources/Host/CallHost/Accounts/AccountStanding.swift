// How an account fares, from its record, its secrets and the plugin's word.

import CallModel
import WorkerLaunch

extension AccountStanding {
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
