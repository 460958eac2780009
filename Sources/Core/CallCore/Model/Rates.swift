// How fast each owner begins calls and requests. Each new call is a row of the recents, and each request is announced to
// everybody.

import CallModel

struct Rates: Sendable {
    /// How many seconds' worth may begin at once.
    private static let burst = 10

    private var newCalls = RateLimits()
    private var requests = RateLimits()

    /// - Parameter most: how many the owner may begin in a second.
    /// - Throws: `LimitsExceeded` if the owner has begun too many calls lately.
    func checkNewCalls(of owner: Owner, _ most: Int, at now: Instant) throws(CallError) {
        guard !newCalls.allows(owner, Self.limit(most), at: now) else { return }
        throw Self.tooMany(owner, "calls", most)
    }

    mutating func countNewCall(of owner: Owner, _ most: Int, at now: Instant) {
        _ = newCalls.take(owner, Self.limit(most), at: now)
    }

    /// - Throws: `LimitsExceeded` if the owner has requested too much lately.
    mutating func countRequest(of owner: Owner, _ most: Int, at now: Instant) throws(CallError) {
        guard requests.take(owner, Self.limit(most), at: now) else { throw Self.tooMany(owner, "requests", most) }
    }

    private static func limit(_ most: Int) -> RateLimit {
        let most = UInt64(max(most, 1))
        return RateLimit(burst: UInt64(burst) * most, every: 1_000_000 / most)
    }

    private static func tooMany(_ owner: Owner, _ what: String, _ most: Int) -> CallError {
        CallError(
            .limitsExceeded,
            "\(owner) \(owner.has) begun too many \(what), expected at most \(burst * most) at once and \(most) a second"
        )
    }

    /// The owners that have begun more than they may, each as a sentence.
    func violations(at now: Instant) -> [String] {
        newCalls.exceeded(at: now).map { "\($0) \($0.has) begun too many calls" }
            + requests.exceeded(at: now).map { "\($0) \($0.has) begun too many requests" }
    }
}
