// The points about the end of a worker, and the incidents at all points.

import CallModel
import EventLoop
import Glibc
import WorkerLaunch

extension Examination {
    func examineLinkClosed() async throws(Unmet) -> String { try await leave(stage()) }

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
        _ = host.put(.setMuted(id, true))
        return try await leave(host)
    }

    /// Closes the link and expects the end of the process.
    private func leave(_ host: ExaminingHost) async throws(Unmet) -> String {
        forgetCurrent()
        let elapsed = await host.close()
        let left = host.leftBehind
        guard case .exited(let code) = host.exit else {
            if case .signalled(let signal) = host.exit, signal != SIGKILL {
                throw .failed("the worker crashed: signal \(signal)")
            }
            throw .failed("the worker had not exited after \(LinkedProcess.exitDeadline) ms and was killed")
        }
        guard left == 0 else { throw .failed("processes that were left behind, and had to be ended: \(left)") }
        return "exited with status \(code) after \(elapsed) ms"
    }

    // MARK: incidents of all points

    func examineReports() async throws(Unmet) -> String {
        try await require(.registration)
        if let incidents = log.summary(of: .reports) { throw .failed("refused: \(incidents)") }
        return "\(log.reports) reports, none was refused"
    }

    func examineEndedCalls() async throws(Unmet) -> String {
        try await require(.end)
        if let incidents = log.summary(of: .endedCalls) { throw .failed(incidents) }
        return "\(log.reports) reports, none was of a call that was over"
    }

    func examineLateAnswers() async throws(Unmet) -> String {
        try await require(.registration)
        if let incidents = log.summary(of: .lateAnswers) { throw .failed(incidents) }
        return "\(log.answers) answers, none was late"
    }

    func examineDoubleAnswers() async throws(Unmet) -> String {
        try await require(.registration)
        // The worker's earlier messages come before its answer to a ping.
        if let host = current, host.isUp { _ = await host.putPing().answer() }
        if let incidents = log.summary(of: .doubleAnswers) { throw .failed(incidents) }
        return "\(log.answers) answers, none was doubled"
    }
}
