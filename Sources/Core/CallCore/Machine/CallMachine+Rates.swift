// How many calls and requests each owner has begun in time. Each new call is a row of the recents, and each request is told to
// everybody.

import CallModel

extension CallMachine {
    /// How many seconds' worth may begin at once.
    private static let burst = 10

    /// - Throws: `LimitsExceeded` if the owner has begun too many calls lately.
    func checkNewCalls(of owner: Owner) throws(CallError) {
        let most = limits.newCalls(of: owner)
        guard !newCalls.allows(owner, Self.limit(most), at: now) else { return }
        throw Self.tooMany(owner, "calls", most)
    }

    /// Counts a call of the owner that begins now: it came in, was started or was found. Emergency calls do not count.
    mutating func countNewCall(of owner: Owner) {
        _ = newCalls.take(owner, Self.limit(limits.newCalls(of: owner)), at: now)
    }

    /// Counts a request of a sandboxed app, unless it starts an emergency call or ends calls.
    ///
    /// - Throws: `LimitsExceeded` if the app has requested too much lately.
    mutating func count(_ request: Request) throws(CallError) {
        let owner = owner(of: request)
        guard owner.isModest, !isFree(request) else { return }
        let most = limits.requestsPerClient
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
    func rateViolations() -> [String] {
        newCalls.exceeded(at: now).map { "\($0) \($0.has) begun too many calls" }
            + requests.exceeded(at: now).map { "\($0) \($0.has) begun too many requests" }
    }
}
