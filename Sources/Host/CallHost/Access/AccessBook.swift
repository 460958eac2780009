// AccessBook: what the user has granted to sandboxed apps, and what they were refused.

import CallModel
import EventLoop

/// The grants outlive the daemon, the refusals do not.
@LoopActor
final class AccessBook {
    /// The latest refusal of an app.
    struct Refusal: Equatable {
        /// The sentence that the app was given.
        let text: String
        let tier: AccessTier
        /// µs since the epoch.
        let date: UInt64
    }

    /// How often the log says at the level notice who is a stranger, and what one was refused.
    var notices = RateLimit(burst: 16, every: 10_000_000)
    private(set) var settings = AccessSettings()
    private(set) var refusals: [String: Refusal] = [:]

    /// Takes over what was kept.
    func load(_ settings: AccessSettings) { self.settings = settings }

    func tiers(of app: String) -> Set<AccessTier> { settings.apps[app] ?? [] }

    /// - Throws: `LimitsExceeded` for one app too many.
    func grant(_ tiers: Set<AccessTier>, to app: String) throws(CallError) {
        guard settings.apps[app] != nil || settings.apps.count < AccessSettings.maximum else {
            throw CallError(
                .limitsExceeded,
                "\(settings.apps.count) apps have been granted something, expected at most \(AccessSettings.maximum)")
        }
        settings.apps[app, default: []].formUnion(tiers)
    }

    func revoke(_ tiers: Set<AccessTier>, of app: String) {
        let left = self.tiers(of: app).subtracting(tiers)
        settings.apps[app] = left.isEmpty ? nil : left
    }

    /// Keeps the latest refusals, those of the apps that were refused longest ago make room.
    func note(_ refusal: Refusal, of app: String) {
        if refusals[app] == nil, refusals.count >= AccessSettings.maximum,
            let oldest = refusals.min(by: { ($0.value.date, $0.key) < ($1.value.date, $1.key) })
        {
            refusals[oldest.key] = nil
        }
        refusals[app] = refusal
    }
}
