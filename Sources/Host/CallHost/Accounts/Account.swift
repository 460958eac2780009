// Account: one account while the daemon runs.

import CallModel
import EventLoop
import WorkerLaunch

/// What is known of an account beyond what is kept.
@LoopActor
final class Account {
    var record: AccountRecord
    /// Another one makes the plugin connect anew.
    var generation: UInt32 = 1
    var trouble: AccountStanding.Trouble?
    /// The plugin's latest word; nil if it does not have the account.
    var report: AccountStanding? {
        didSet { if report == nil { delivered = nil } }
    }
    /// The generation that the plugin has, with its secrets; nil if it does not have the account.
    var delivered: UInt32?
    /// The latest change of its secrets, for which the next one waits.
    var latestChange: Task<Void, Never>?

    init(_ record: AccountRecord) { self.record = record }

    var id: AccountID { record.id }

    func standing(_ schema: Result<AccountSchema, CallError>) -> AccountStanding {
        AccountStanding(record, schema, trouble: trouble, report: report)
    }
}
