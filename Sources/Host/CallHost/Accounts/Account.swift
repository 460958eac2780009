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
