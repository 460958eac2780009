// Providers that report updates of their calls without end.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Counts the updates of each provider: 1,000 at once, and 100 a second, are more than any network has to tell.
@LoopActor
final class UpdateStorms {
    private var limits: [ProviderID: RateLimit] = [:]
    private var noted: Set<ProviderID> = []

    enum Verdict { case calm, begins, goesOn }

    func take(_ provider: ProviderID, at now: Instant) -> Verdict {
        if limits[provider, default: RateLimit(burst: 1_000, every: 10_000)].take(at: now) { return .calm }
        return noted.insert(provider).inserted ? .begins : .goesOn
    }

    func forget(_ provider: ProviderID) {
        limits[provider] = nil
        noted.remove(provider)
    }
}

extension CallSystemHost {
    /// - Throws: `LimitsExceeded` if the provider has reported too many updates. A plugin is quarantined for it.
    func requireCalm(_ provider: ProviderID) throws(CallError) {
        let verdict = updateStorms.take(provider, at: clock.now)
        guard verdict != .calm else { return }
        if verdict == .begins {
            emitAnomaly(
                "update-storm", .provider(provider), "the provider reported over 100 updates a second for seconds")
            if case .plugin(let id)? = providers[provider]?.owner {
                plugins.quarantine(id, "its provider \(provider) reported over 100 updates a second for seconds")
            }
        }
        throw CallError(
            .limitsExceeded, "provider \(provider) reports too many updates, expected at most 100 a second")
    }
}
