// Account: one account while the daemon runs.

import CallModel
import EventLoop
import WorkerLaunch

/// What is known of an account beyond what is kept.
@LoopActor
final class Account {
    var record: AccountRecord
    /// The keys of the secrets that the latest look-up has found, which others may have changed; nil before the first.
    var found: Set<String>?
    /// Another one makes the plugin connect anew.
    var generation: UInt32 = 1
    var trouble: AccountStanding.Trouble?
    /// The plugin's latest word; nil if it does not have the account.
    var report: AccountStanding? {
        didSet { if report == nil { delivered = nil } }
    }
    /// The generation that the plugin has, with its secrets; nil if it does not have the account.
    var delivered: UInt32?
    /// Tells of the plugin's words at a bounded rate.
    let pacer = ChangePacer()
    /// Runs while the plugin may still take its provider away by itself.
    var goodbye: LoopTimer?
    /// The latest change of its secrets, for which the next one waits.
    var latestChange: Task<Void, Never>?

    init(_ record: AccountRecord) { self.record = record }

    var id: AccountID { record.id }

    /// The record with the secrets that are there.
    var shown: AccountRecord {
        var shown = record
        if let found { shown.secrets = found }
        if shown.secrets.isEmpty { shown.storage = nil }
        return shown
    }

    func standing(_ schema: Result<AccountSchema, CallError>) -> AccountStanding {
        AccountStanding(shown, schema, trouble: trouble, report: report)
    }
}

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
        case .success(let schema): judge(record, schema, trouble, report)
        }
    }

    private mutating func judge(
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
