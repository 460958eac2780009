// The end of a worker, and what was noted on the way there.

import CallModel
import EventLoop
import Glibc
import WorkerLaunch

extension Examination {
    func examineLinkClosed() async throws(Unmet) -> String {
        try await leave(stage())
    }

    func examineLinkAborted() async throws(Unmet) -> String {
        try await require(.end)
        let isActive = await isActiveCallPossible()
        let host = try await stage()
        let id: CallID
        if isActive {
            id = try await anotherCall(on: host)
            host.grantAudio(for: id)
        } else {
            id = try await start(on: host).0
        }
        _ = host.put(.setMuted(id, true), patience: options.patience)
        return try await leave(host)
    }

    /// Closes the link and expects the end of the process.
    private func leave(_ host: ScriptedHost) async throws(Unmet) -> String {
        forgetCurrent()
        let elapsed = await host.close()
        let left = host.sweepSession()
        guard case .exited(let code) = host.exit else {
            if case .signalled(let signal) = host.exit, signal != SIGKILL {
                throw .failed("the worker crashed: signal \(signal)")
            }
            throw .failed("the worker had not exited after \(LinkedProcess.exitDeadline) ms and was killed")
        }
        guard left == 0 else { throw .failed("processes that were left behind, and had to be ended: \(left)") }
        return "exited with status \(code) after \(elapsed) ms"
    }

    // MARK: what was noted all the time

    func examineReports() async throws(Unmet) -> String {
        try await require(.registration)
        guard conduct.refusedReports.count == 0 else { throw .failed("refused: \(conduct.refusedReports)") }
        return "\(conduct.reports) reports, none was refused"
    }

    func examineEndedCalls() async throws(Unmet) -> String {
        try await require(.end)
        guard conduct.laterReports.count == 0 else { throw .failed("\(conduct.laterReports)") }
        return "\(conduct.reports) reports, none was of a call that was over"
    }

    func examineLateAnswers() async throws(Unmet) -> String {
        try await require(.registration)
        guard conduct.lateAnswers.count == 0 else { throw .failed("\(conduct.lateAnswers)") }
        return "\(conduct.answers) answers, none was late"
    }

    func examineDoubleAnswers() async throws(Unmet) -> String {
        try await require(.registration)
        await dismiss()
        guard conduct.doubleAnswers.count == 0 else { throw .failed("\(conduct.doubleAnswers)") }
        return "\(conduct.answers) answers, none was doubled"
    }
}
