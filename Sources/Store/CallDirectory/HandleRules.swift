// HandleRules: a set of rules about callers, with quick matching.

public import CallModel

/// Rules that all allow, or all block.
public struct HandleRules: Equatable, Sendable {
    public static let maximumRules = 100_000
    /// The most ranges: they are searched one by one.
    public static let maximumRanges = 1_000

    private var handles: Set<String> = []
    private var prefixes: Set<String> = []
    private var prefixLengths: Set<Int> = []
    private var ranges: Set<ClosedRange<Int64>> = []
    private var matchesWithheld = false

    public init() {}

    public var count: Int { handles.count + prefixes.count + ranges.count + (matchesWithheld ? 1 : 0) }

    /// All rules, in the order of their text.
    public var all: [HandleRule] {
        var all = handles.map(HandleRule.exactly) + prefixes.map(HandleRule.prefix) + ranges.map(HandleRule.range)
        if matchesWithheld { all.append(.withheld) }
        return all.sorted { $0.description < $1.description }
    }

    /// - Returns: whether the rule is new.
    /// - Throws: `LimitsExceeded`.
    @discardableResult
    public mutating func insert(_ rule: HandleRule) throws(CallError) -> Bool {
        guard !contains(rule) else { return false }
        guard count < Self.maximumRules else {
            throw CallError(.limitsExceeded, "\(count) rules, which is the most")
        }
        switch rule {
        case .exactly(let handle): handles.insert(handle)
        case .prefix(let stem):
            prefixes.insert(stem)
            prefixLengths.insert(stem.utf8.count)
        case .range(let range):
            guard ranges.count < Self.maximumRanges else {
                throw CallError(.limitsExceeded, "\(ranges.count) ranges, which is the most")
            }
            ranges.insert(range)
        case .withheld: matchesWithheld = true
        }
        return true
    }

    /// - Returns: whether the rule was there.
    @discardableResult
    public mutating func remove(_ rule: HandleRule) -> Bool {
        guard contains(rule) else { return false }
        switch rule {
        case .exactly(let handle): handles.remove(handle)
        case .prefix(let stem):
            prefixes.remove(stem)
            prefixLengths = Set(prefixes.map(\.utf8.count))
        case .range(let range): ranges.remove(range)
        case .withheld: matchesWithheld = false
        }
        return true
    }

    public func contains(_ rule: HandleRule) -> Bool {
        switch rule {
        case .exactly(let handle): handles.contains(handle)
        case .prefix(let stem): prefixes.contains(stem)
        case .range(let range): ranges.contains(range)
        case .withheld: matchesWithheld
        }
    }

    /// Returns whether a rule matches a caller.
    /// - Parameter normalized: the normalized handle; "" for a withheld one.
    public func match(_ normalized: String) -> Bool { rule(for: normalized) != nil }

    /// Returns the rule that matches a caller best: the handle itself, else a prefix, else a range.
    public func rule(for normalized: String) -> HandleRule? {
        if normalized.isEmpty { return matchesWithheld ? .withheld : nil }
        if handles.contains(normalized) { return .exactly(normalized) }
        guard let number = HandleRule.number(of: normalized) else { return nil }
        for length in prefixLengths.sorted(by: >) where length <= normalized.utf8.count {
            let stem = String(normalized.prefix(length))
            if prefixes.contains(stem) { return .prefix(stem) }
        }
        guard normalized.hasPrefix("+") else { return nil }
        return ranges.first {
            $0.contains(number) && "\($0.lowerBound)".utf8.count == normalized.utf8.count - 1
        }.map(HandleRule.range)
    }
}
