// The accounts of the plugin, as callkitd hands them over.

import CallModel
import CallWire
import DBus
import EventLoop

extension ExaminingHost {
    /// Replaces the plugin's accounts.
    func handOver(_ accounts: [ExaminedAccount]) -> PendingAnswer {
        generation += 1
        accountReport = nil
        let entries = accounts.map { $0.wire(generation: generation) }
        return put(ProviderMember.Accounts.setAccounts, ProviderMember.Accounts.setAccounts) {
            (_) throws(DBusError) in
            try Message.call(at: Self.root, Contract.accountsDelegate, ProviderMember.Accounts.setAccounts, entries)
        }
    }

    /// Notes ReportAccount of the worker.
    func note(_ state: String, _ problem: String, _ text: String, of id: String) throws(CallError) {
        log.reports += 1
        defer { somethingHappened() }
        do throws(CallError) {
            let report = try AccountStanding(reported: state, problem, text)
            guard let account, account.id.rawValue == id else {
                throw CallError(.invalidArguments, "there is no account \(id.excerpt)")
            }
            accountReport = report
        } catch {
            throw refuse(ProviderMember.System.reportAccount, error)
        }
    }
}
