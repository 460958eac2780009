// Verdict: the result of one point. Certificate: the results of all points.

public struct Verdict: Sendable, Hashable {
    /// The raw values are those in JSON.
    public enum Result: String, Sendable, CaseIterable {
        case passed, failed
        /// The plugin does not support what the point requires, and need not.
        case notApplicable = "not-applicable"
        /// The point depends on another point that failed.
        case notTried = "not-tried"
    }

    public let point: Point
    public let result: Result
    /// What the plugin did, or why the point was not examined. Printable text.
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

    /// Whether no point failed or was left untried.
    public var isGranted: Bool { !verdicts.contains { $0.result == .failed || $0.result == .notTried } }

    public func count(_ result: Verdict.Result) -> Int { verdicts.count { $0.result == result } }
}

/// Why a point was not passed.
struct Unmet: Error {
    let result: Verdict.Result
    let seen: String

    static func failed(_ seen: String) -> Unmet { Unmet(result: .failed, seen: seen) }
    static func notApplicable(_ seen: String) -> Unmet { Unmet(result: .notApplicable, seen: seen) }
    static func notTried(_ seen: String) -> Unmet { Unmet(result: .notTried, seen: seen) }
}
