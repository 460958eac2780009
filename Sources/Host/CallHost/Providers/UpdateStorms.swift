// What providers do without end: updates of their calls and of themselves, and registrations.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Counts the updates of each owner: 1,000 at once, and 100 a second, are more than any network has to tell.
@LoopActor
final class UpdateStorms {
    private var limits = RateLimits()
    private var noted: Set<Owner> = []

    enum Verdict { case calm, begins, goesOn }

    func take(_ owner: Owner, at now: Instant) -> Verdict {
        noted = noted.filter { !limits.isCalm($0, at: now) }
        if limits.take(owner, RateLimit(burst: 1_000, every: 10_000), at: now) { return .calm }
        return noted.insert(owner).inserted ? .begins : .goesOn
    }
}

extension CallSystemHost {
    /// - Throws: `LimitsExceeded` if the provider's owner has reported too many updates. A plugin is quarantined for it.
    func requireCalm(_ provider: ProviderID) throws(CallError) {
        guard let registered = providers[provider] else { return }
        let owner = registered.share
        let verdict = updateStorms.take(owner, at: clock.now)
        guard verdict != .calm else { return }
        if verdict == .begins {
            emitAnomaly(
                "update-storm", .provider(provider), "\(owner) reported over 100 updates a second for seconds",
                by: owner)
            if case .plugin(let id) = registered.owner {
                plugins.quarantine(id, "its provider \(provider) reported over 100 updates a second for seconds")
            }
        }
        throw CallError(.limitsExceeded, "\(owner) reports too many updates, expected at most 100 a second")
    }

    /// Counts a registration of a client of the bus.
    ///
    /// - Throws: `LimitsExceeded` if the owner has registered too many providers lately.
    func countRegistration(of owner: Owner) throws(CallError) {
        let most: UInt64 = owner.isModest ? 5 : 20
        guard registrations.take(owner, RateLimit(burst: 10 * most, every: 1_000_000 / most), at: clock.now) else {
            throw CallError(
                .limitsExceeded,
                "\(owner) \(owner.has) registered too many providers, expected at most \(10 * most) at once and \(most) a "
                    + "second")
        }
    }
}
