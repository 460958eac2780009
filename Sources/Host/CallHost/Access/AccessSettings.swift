// AccessSettings: the saved tiers of apps, as lines in the syntax of scenario files.

import CallModel

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

    mutating func take(_ line: String) throws(CallError) {
        var words = try Words(line)
        guard try words.take("app") == "app", let app = words.value("id"), AppID.isValid(app),
            let tiers = words.value("tiers")
        else {
            throw CallError(.invalidArguments, "a line is not \"app id=… tiers=…\": \(line.excerpt)")
        }
        apps[app] = try AccessTier.set(of: tiers.split(separator: ",").map(String.init))
    }
}
