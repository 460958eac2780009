// AccessBook: the tiers that were granted to sandboxed apps, and the last refusal of each app.

import CallModel
import EventLoop

/// The grants are saved. The refusals are kept until the daemon ends.
@LoopActor
final class AccessBook {
    /// The latest refusal of an app.
    struct Refusal: Equatable {
        /// The error message that the app got.
        let text: String
        let tier: AccessTier
        /// µs since the epoch.
        let date: UInt64
    }

    var settings = AccessSettings()
    private(set) var refusals: [String: Refusal] = [:]

    func tiers(of app: String) -> Set<AccessTier> { settings.tiers(of: app) }

    /// Keeps the refusal, in place of the app's last one. If there are too many apps, the oldest refusal is dropped.
    func note(_ refusal: Refusal, of app: String) {
        if refusals[app] == nil, refusals.count >= AccessSettings.maximum,
            let oldest = refusals.min(by: { ($0.value.date, $0.key) < ($1.value.date, $1.key) })
        {
            refusals[oldest.key] = nil
        }
        refusals[app] = refusal
    }
}
