// Rule 13's limiter: providers that exchange two calls without end.

import CallModel

/// The latest resumes that providers reported, and the providers whose resumes are ignored.
struct HoldStorms: Sendable {
    enum Verdict { case calm, begins, goesOn }

    /// How many exchanges of the same two calls are accepted in `window`, in µs.
    static let maximumExchanges = 4
    static let window: UInt64 = 2_000_000
    /// For how long resumes are ignored then, in µs.
    static let pause: UInt64 = 10_000_000

    private struct Resume: Sendable {
        let call: CallID
        let uptime: Uptime
    }

    private var resumes: [ProviderID: [Resume]] = [:]
    private var pausedUntil: [ProviderID: Uptime] = [:]

    /// Notes that a provider wants a held call back.
    mutating func note(_ call: CallID, of provider: ProviderID, at now: Instant) -> Verdict {
        if isPaused(provider, at: now) { return .goesOn }
        pausedUntil[provider] = nil
        var recent = (resumes[provider] ?? []).filter { now.uptime - min($0.uptime, now.uptime) <= Self.window }
        // The same call again is no exchange.
        if recent.last?.call != call { recent.append(Resume(call: call, uptime: now.uptime)) }
        let latest = recent.suffix(Self.maximumExchanges + 1)
        guard latest.count > Self.maximumExchanges, Set(latest.map(\.call)).count == 2 else {
            resumes[provider] = Array(latest)
            return .calm
        }
        resumes[provider] = nil
        pausedUntil[provider] = now.uptime + Self.pause
        return .begins
    }

    func isPaused(_ provider: ProviderID, at now: Instant) -> Bool {
        pausedUntil[provider].map { now.uptime < $0 } ?? false
    }

    mutating func forget(_ provider: ProviderID) {
        resumes[provider] = nil
        pausedUntil[provider] = nil
    }
}
