// EndingPoints: the points about the end of a worker, and the one after it, and the incidents at all points.

import CallModel
import EventLoop
import Glibc
import WorkerLaunch

@LoopActor
struct EndingPoints: PointGroup {
    let examination: Examination

    func examineLinkClosed() async throws(Unmet) -> String { try await leave(examination.stage()) }

    func examineLinkAborted() async throws(Unmet) -> String {
        try await examination.require(.end)
        let isActive = await isActiveCallPossible()
        let host = try await examination.stage()
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
        examination.forgetCurrent()
        let elapsed = await host.close()
        let left = host.leftBehind
        guard case .exited(let code) = host.exit else {
            if case .signalled(let signal) = host.exit, signal != SIGKILL {
                throw .failed("the worker crashed: \(ExitStatus.text(of: signal))")
            }
            throw .failed("the worker had not exited after \(LinkedProcess.exitDeadline.text) and was killed")
        }
        guard left == 0 else { throw .failed("processes that were left behind, and had to be ended: \(left)") }
        return "exited with status \(code) after \(elapsed.text)"
    }

    // MARK: incidents of all points

    func examineReports() async throws(Unmet) -> String {
        try await examination.require(.registration)
        if let incidents = examination.log.summary(of: .reports) { throw .failed("refused: \(incidents)") }
        return "\(examination.log.reports) reports, none was refused"
    }

    func examineEndedCalls() async throws(Unmet) -> String {
        try await examination.require(.end)
        if let incidents = examination.log.summary(of: .endedCalls) { throw .failed(incidents) }
        return "\(examination.log.reports) reports, none was of a call that was over"
    }

    func examineLateAnswers() async throws(Unmet) -> String {
        try await examination.require(.registration)
        if let incidents = examination.log.summary(of: .lateAnswers) { throw .failed(incidents) }
        return "\(examination.log.answers) answers, none was late"
    }

    func examineDoubleAnswers() async throws(Unmet) -> String {
        try await examination.require(.registration)
        // The worker's earlier messages come before its answer to a ping.
        if let host = examination.current, host.isUp { _ = await host.putPing().answer() }
        if let incidents = examination.log.summary(of: .doubleAnswers) { throw .failed(incidents) }
        return "\(examination.log.answers) answers, none was doubled"
    }

    // MARK: a worker that is killed in a call, and the one after it

    /// How long a worker that is ready may take to report a call that outlived its predecessor.
    private static let recollection = Duration.seconds(1)

    func examineRestartInCall() async throws(Unmet) -> String {
        let (host, id, elapsed) = try await restartedInCall()
        let text = "registered again after \(elapsed.text)"
        if let successor = host.expected?.successor {
            examination.adoptsCalls = true
            host.calls[successor]?.isEnded = await host.put(.end(successor, reason: "")).answer().isGiven
            return "\(text), and reported the call"
        }
        try await requireForgotten(id, on: host)
        if await examination.passed(.start) { try await goesOn(host) }
        return "\(text), and had no call"
    }

    func examineAdopts() async throws(Unmet) -> String {
        try await examination.require(.restartInCall)
        guard examination.adoptsCalls else { throw .notApplicable("no call is reported after a restart") }
        let (host, _, _) = try await restartedInCall()
        guard let id = host.expected?.successor, let call = host.calls[id] else {
            throw .failed("the call was reported after one restart, and not after another")
        }
        if call.canBeHeld {
            try await fulfilled(.setHeld(id, true), on: host)
            try await fulfilled(.setHeld(id, false), on: host)
        }
        let end = try await fulfilled(.end(id, reason: ""), on: host)
        return "reported as \(call.isOutgoing ? "outgoing" : "incoming"), then \(end)"
    }

    /// Kills a worker in a call and starts another one.
    ///
    /// - Returns: the other worker, the call, and the time until the worker was ready.
    private func restartedInCall() async throws(Unmet) -> (ExaminingHost, CallID, Duration) {
        let (old, id) = try await activeCall()
        let handle: Handle
        if let reported = old.calls[id]?.facts.remoteHandle {
            handle = reported
        } else {
            handle = try self.handle(on: old)
        }
        guard await old.crash() else { throw .notTried("the worker could not be killed") }
        let host = try await examination.begin(with: examination.account)
        host.expected = OutlivingCall(handle: handle)
        let began = MonotonicTime.now
        let limit =
            examination.options.helloTimeout + examination.options.answerTimeout + examination.options.accountTimeout
        _ = await host.wait(limit) { [weak host] in host?.isReady == true || host?.isUp != true }
        guard host.isReady else {
            throw .failed(await examination.fate(of: host, "not registered again within \(limit.text)"))
        }
        let elapsed = MonotonicTime.now.duration(since: began)
        _ = await host.wait(Self.recollection) { [weak host] in
            host?.expected?.successor != nil || host?.isUp != true
        }
        guard host.isUp else { throw .failed(await host.demise()) }
        return (host, id, elapsed)
    }
}
