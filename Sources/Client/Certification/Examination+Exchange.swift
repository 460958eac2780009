// The point about networks that can only exchange the active call with the held one.

import CallModel
import EventLoop

extension Examination {
    /// For how long the plugin must not exchange the calls again, in milliseconds.
    private static let restAfterExchange = 1_000

    /// Exchanges two calls in one transaction, as callkitd does: holds the active one and takes the held one back.
    func exchange(_ active: CallID, for held: CallID, on host: ExaminingHost) async throws(Unmet) {
        for call in [active, held] { host.calls[call]?.reportedHolds = [] }
        let (transaction, resume) = (ExaminingHost.freshID().description, CallAction.setHeld(held, false))
        try await fulfilled(host.put(.setHeld(active, true), in: transaction, .first([resume])), on: host)
        if host.calls[held]?.reportedHolds.last == false {
            // The network was faster, and its report is a fact.
            host.notifyTransactionEnded(transaction)
        } else {
            try await fulfilled(host.put(resume, in: transaction, .following(1)), on: host)
        }
    }

    func examineExchange() async throws(Unmet) -> String {
        guard try await configuration().holdModel == .swap else { throw .notApplicable("hold-model is per-call") }
        try await require(.secondCall)
        let (host, first, second) = try await heldAndActiveCall()
        try await exchange(second, for: first, on: host)
        // The first call is active now. The network may report that, before and after the answers; a report of the
        // opposite is another exchange.
        let isRepeated = await host.wait(Self.restAfterExchange) { [weak host] in
            host?.calls[first]?.reportedHolds.contains(true) == true
                || host?.calls[second]?.reportedHolds.contains(false) == true
        }
        try await answersPing(host)
        guard !isRepeated else { throw .failed("the plugin reported another exchange by itself") }
        return "exchanged once within \(Self.restAfterExchange) ms"
    }
}
