// AccessSettings: the saved tiers of apps, as lines in the syntax of scenario files.

import CallModel

struct AccessSettings: Equatable {
    /// The most apps that have tiers.
    static let maximum = 1_000
    /// The longest file, in bytes.
    static let longest = maximum * 400

    /// The tiers of each app; an app without any is not here.
    var apps: [String: Set<AccessTier>] = [:]

    init() {}

    var text: String {
        let lines = apps.sorted { $0.key < $1.key }.map { app, tiers in
            "app id=\(app) tiers=\(AccessTier.words(of: tiers).joined(separator: ","))\n"
        }
        return "access\n" + lines.joined()
    }

    /// - Throws: `InvalidArguments` unless `text` could have written it.
    init(text: String) throws(CallError) {
        let lines = text.split(separator: "\n").map(String.init)
        guard lines.first == "access", text.hasSuffix("\n") else {
            throw CallError(.invalidArguments, "the first line is not \"access\", or the file is cut off")
        }
        guard lines.count - 1 <= Self.maximum else {
            throw CallError(.invalidArguments, "\(lines.count - 1) apps, expected at most \(Self.maximum)")
        }
        for line in lines.dropFirst() {
            var words = try Words(line)
            guard try words.take("app") == "app", let app = words.value("id"), AppID.isValid(app),
                let tiers = words.value("tiers")
            else {
                throw CallError(.invalidArguments, "a line is not \"app id=… tiers=…\": \(line.excerpt)")
            }
            apps[app] = try AccessTier.set(of: tiers.split(separator: ",").map(String.init))
        }
    }
}
