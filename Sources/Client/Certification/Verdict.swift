// Verdict: what was found at one point. Certificate: what was found at all of them.

public struct Verdict: Sendable, Hashable {
    /// Raw values are the words in JSON.
    public enum Result: String, Sendable, CaseIterable {
        case passed, failed
        /// The plugin does not offer what the point is about, and need not.
        case notApplicable = "not-applicable"
        /// Something that failed at another point was needed for it.
        case notTried = "not-tried"
    }

    public let point: Point
    public let result: Result
    /// What the plugin did, or why the point was not examined. Safe to show.
    public let seen: String

    public init(_ point: Point, _ result: Result, seen: String) {
        self.point = point
        self.result = result
        self.seen = seen
    }
}

public struct Certificate: Sendable, Hashable {
    /// The plugin's id, as in its object path.
    public let plugin: String
    /// In the order of `Point`.
    public let verdicts: [Verdict]

    public init(plugin: String, verdicts: [Verdict]) {
        self.plugin = plugin
        self.verdicts = verdicts
    }

    /// Whether no point failed. What was not tried hangs on one that failed, or was not wanted.
    public var isGranted: Bool { !verdicts.contains { $0.result == .failed || $0.result == .notTried } }

    public func count(_ result: Verdict.Result) -> Int { verdicts.count { $0.result == result } }
}
