// HandleRules: a set of rules about callers, with quick matching.

public import CallModel

/// Rules that all allow, or all block.
public struct HandleRules: Equatable, Sendable {
    public static let maximumRules = 100_000
    /// The most ranges: they are searched one by one.
    public static let maximumRanges = 1_000

    private var rules: Set<HandleRule> = []
    /// How many prefixes have each length.
    private var prefixLengths: [Int: Int] = [:]
    private var ranges: Set<ClosedRange<Int64>> = []

    public init() {}

    public var count: Int { rules.count }

    /// All rules as text, in order.
    public var texts: [String] { rules.map(\.description).sorted() }

    /// - Returns: whether the rule is new.
    /// - Throws: `LimitsExceeded`.
    public mutating func insert(_ rule: HandleRule) throws(CallError) -> Bool {
        guard !contains(rule) else { return false }
        guard count < Self.maximumRules else {
            throw CallError(.limitsExceeded, "\(count) rules, which is the most")
        }
        switch rule {
        case .prefix(let stem): prefixLengths[stem.utf8.count, default: 0] += 1
        case .range(let range):
            guard ranges.count < Self.maximumRanges else {
                throw CallError(.limitsExceeded, "\(ranges.count) ranges, which is the most")
            }
            ranges.insert(range)
        case .exactly, .withheld: break
        }
        rules.insert(rule)
        return true
    }

    /// - Returns: whether the rule was there.
    public mutating func remove(_ rule: HandleRule) -> Bool {
        guard rules.remove(rule) != nil else { return false }
        switch rule {
        case .prefix(let stem):
            let length = stem.utf8.count
            prefixLengths[length] = prefixLengths[length].flatMap { $0 > 1 ? $0 - 1 : nil }
        case .range(let range): ranges.remove(range)
        case .exactly, .withheld: break
        }
        return true
    }

    public func contains(_ rule: HandleRule) -> Bool { rules.contains(rule) }

    /// Returns whether a rule matches a caller.
    /// - Parameter normalized: the normalized handle; "" for a withheld one.
    public func match(_ normalized: String) -> Bool { rule(for: normalized) != nil }

    /// Returns the rule that matches a caller best: the handle itself, else a prefix, else a range.
    public func rule(for normalized: String) -> HandleRule? {
        let same: HandleRule = normalized.isEmpty ? .withheld : .exactly(normalized)
        if contains(same) { return same }
        guard let number = HandleRule.number(of: normalized) else { return nil }
        for length in prefixLengths.keys.sorted(by: >) where length <= normalized.utf8.count {
            let prefix = HandleRule.prefix(String(normalized.prefix(length)))
            if contains(prefix) { return prefix }
        }
        guard normalized.hasPrefix("+") else { return nil }
        return ranges.first {
            $0.contains(number) && "\($0.lowerBound)".utf8.count == normalized.utf8.count - 1
        }.map(HandleRule.range)
    }
}
