// The points about a worker that is killed in a call, and the one after it.

import CallModel
import EventLoop

extension Examination {
    /// How long a worker that is ready may take to report a call that outlived its predecessor, in milliseconds.
    private static let recollection = 1_000

    func examineRestartInCall() async throws(Unmet) -> String {
        let (host, id, elapsed) = try await restartedInCall()
        let text = "registered again after \(elapsed) ms"
        if let successor = host.expected?.successor {
            adoptsCalls = true
            host.calls[successor]?.isEnded = await host.put(.end(successor, reason: "")).answer().isGiven
            return "\(text), and reported the call"
        }
        try await requireForgotten(id, on: host)
        if await passed(.start) { try await goesOn(host) }
        return "\(text), and had no call"
    }

    func examineAdopts() async throws(Unmet) -> String {
        try await require(.restartInCall)
        guard adoptsCalls else { throw .notApplicable("no call is reported after a restart") }
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
    /// - Returns: the other worker, the call, and the time until the worker was ready, in milliseconds.
    private func restartedInCall() async throws(Unmet) -> (ExaminingHost, CallID, Int) {
        let (old, id) = try await activeCall()
        let handle: Handle
        if let reported = old.calls[id]?.facts.remoteHandle {
            handle = reported
        } else {
            handle = try self.handle(on: old)
        }
        guard await old.crash() else { throw .notTried("the worker could not be killed") }
        let host = try await begin(with: account)
        host.expected = OutlivingCall(handle: handle)
        let began = MonotonicTime.now
        let limit = options.helloPatience + options.patience + options.accountPatience
        _ = await host.wait(limit) { [weak host] in host?.isReady == true || host?.isUp != true }
        guard host.isReady else { throw .failed(await fate(of: host, "not registered again within \(limit) ms")) }
        let elapsed = MonotonicTime.now.milliseconds(since: began)
        _ = await host.wait(Self.recollection) { [weak host] in
            host?.expected?.successor != nil || host?.isUp != true
        }
        guard host.isUp else { throw .failed(await host.demise()) }
        return (host, id, elapsed)
    }
}
