// The point about networks that can only exchange the active call with the held one.

import CallModel
import EventLoop

extension Examination {
    /// For how long the plugin must not exchange the calls again, in milliseconds.
    private static let restAfterExchange = 1_000

    /// For how long the reports of an exchange may say that both calls are heard, in milliseconds.
    private static let simultaneity = 100

    /// Exchanges two calls in one transaction, as callkitd does: holds the active one and takes the held one back.
    func exchange(_ active: CallID, for held: CallID, on host: ExaminingHost) async throws(Unmet) {
        for call in [active, held] { host.calls[call]?.reportedHolds = [] }
        host.holds = []
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

    func examineExchangeReports() async throws(Unmet) -> String {
        try await require(.exchange)
        let (host, first, second) = try await heldAndActiveCall()
        try await exchange(second, for: first, on: host)
        _ = await host.wait(Self.simultaneity * 2) { false }
        try await answersPing(host)
        let (longest, last) = Self.heardTogether(first, second, host.holds)
        guard last else { throw .failed("after the exchange both calls are reported as heard") }
        guard longest <= Self.simultaneity else {
            throw .failed(
                "for \(longest) ms both calls were reported as heard, at most \(Self.simultaneity) ms are allowed")
        }
        return "both calls were heard for \(longest) ms"
    }

    /// Returns for how long, in milliseconds, neither call was held while a held call was exchanged for the active one, and
    /// whether one of them is held at the end.
    private static func heardTogether(
        _ held: CallID, _ active: CallID, _ news: [HoldNews]
    ) -> (longest: Int, isOneHeld: Bool) {
        var (holding, since, longest) = (Set([held]), MonotonicTime?.none, 0)
        for piece in news where piece.call == held || piece.call == active {
            if piece.isHeld { holding.insert(piece.call) } else { holding.remove(piece.call) }
            if holding.isEmpty {
                since = since ?? piece.time
            } else if let start = since {
                longest = max(longest, piece.time.milliseconds(since: start))
                since = nil
            }
        }
        return (longest, !holding.isEmpty)
    }
}
