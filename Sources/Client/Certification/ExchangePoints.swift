// ExchangePoints: the points about networks that can only exchange the active call with the held one.

import CallModel
import EventLoop

@LoopActor
struct ExchangePoints: PointGroup {
    let examination: Examination

    /// For how long the plugin must not exchange the calls again.
    private static let restAfterExchange = Duration.seconds(1)

    /// For how long the reports of an exchange may say that both calls are heard.
    private static let simultaneity = Duration.milliseconds(100)

    func examineExchange() async throws(Unmet) -> String {
        guard try await configuration().holdModel == .swap else { throw .notApplicable("hold-model is per-call") }
        try await examination.require(.secondCall)
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
        return "exchanged once within \(Self.restAfterExchange.text)"
    }

    func examineExchangeReports() async throws(Unmet) -> String {
        try await examination.require(.exchange)
        let (host, first, second) = try await heldAndActiveCall()
        try await exchange(second, for: first, on: host)
        _ = await host.wait(Self.simultaneity * 2) { false }
        try await answersPing(host)
        let (longest, last) = Self.heardTogether(first, second, host.holds)
        guard last else { throw .failed("after the exchange both calls are reported as heard") }
        guard longest <= Self.simultaneity else {
            throw .failed(
                "for \(longest.text) both calls were reported as heard, at most \(Self.simultaneity.text) are allowed")
        }
        return "both calls were heard for \(longest.text)"
    }

    /// Returns for how long neither call was held while a held call was exchanged for the active one, and
    /// whether one of them is held at the end.
    private static func heardTogether(
        _ held: CallID, _ active: CallID, _ news: [HoldNews]
    ) -> (longest: Duration, isOneHeld: Bool) {
        var (holding, since, longest) = (Set([held]), MonotonicTime?.none, Duration.zero)
        for piece in news where piece.call == held || piece.call == active {
            if piece.isHeld { holding.insert(piece.call) } else { holding.remove(piece.call) }
            if holding.isEmpty {
                since = since ?? piece.time
            } else if let start = since {
                longest = max(longest, piece.time.duration(since: start))
                since = nil
            }
        }
        return (longest, !holding.isEmpty)
    }
}
