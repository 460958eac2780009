// AccessBook: the tiers that were granted to sandboxed apps, and the last refusal of each app.

import CallModel
import CallWire
import DBus
import EventLoop

/// The grants are those that are saved. The refusals are kept until the daemon ends.
@LoopActor
final class AccessBook {
    /// The latest refusal of an app.
    struct Refusal: Equatable {
        /// The error message that the app got.
        let text: String
        let tier: AccessTier
        let date: WallTime
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

    /// What each app was granted, and what was refused to it last.
    var apps: [String: VariantDictionary] {
        var apps: [String: VariantDictionary] = [:]
        for app in Set(settings.apps.keys).union(refusals.keys) {
            var wire: VariantDictionary = ["tiers": Variant(AccessTier.words(of: tiers(of: app)))]
            if let refusal = refusals[app] {
                wire["refused"] = .string(refusal.text)
                wire["refused-tier"] = .string(refusal.tier.rawValue)
                wire["refused-at"] = refusal.date.inVariant
            }
            apps[app] = wire
        }
        return apps
    }
}

struct AccessSettings: SettingsText {
    static let title = "access"
    /// The most apps that have tiers.
    static let maximum = 1_000
    /// The longest file, in bytes.
    static let longest = maximum * 400
    static let maximumLines = maximum

    /// The tiers of each app; an app without any is not here.
    var apps: [String: Set<AccessTier>] = [:]

    init() {}

    func tiers(of app: String) -> Set<AccessTier> { apps[app] ?? [] }

    /// - Throws: `LimitsExceeded` if `maximum` other apps have tiers.
    mutating func grant(_ tiers: Set<AccessTier>, to app: String) throws(CallError) {
        guard apps[app] != nil || apps.count < Self.maximum else {
            throw CallError(
                .limitsExceeded, "\(apps.count) apps have been granted tiers, expected at most \(Self.maximum)")
        }
        apps[app, default: []].formUnion(tiers)
    }

    mutating func revoke(_ tiers: Set<AccessTier>, of app: String) {
        let left = self.tiers(of: app).subtracting(tiers)
        apps[app] = left.isEmpty ? nil : left
    }

    var text: String {
        let lines = apps.sorted { $0.key < $1.key }.map { app, tiers in
            "app id=\(app) tiers=\(AccessTier.words(of: tiers).joined(separator: ","))\n"
        }
        return "access\n" + lines.joined()
    }

    mutating func parse(_ line: String) throws(CallError) {
        var words = try Words(line)
        guard try words.read("app") == "app", let app = words.value("id"), AppID.isValid(app),
            let tiers = words.value("tiers")
        else {
            throw CallError(.invalidArguments, "a line is not \"app id=… tiers=…\": \(line.excerpt)")
        }
        apps[app] = try AccessTier.set(of: tiers.split(separator: ",").map(String.init))
    }
}
