// NumberRanges: ranges of numbers that a directory blocks.

public import CallModel

/// Ranges of numbers. Callers with a country code are compared with them.
public struct NumberRanges: Equatable, Sendable {
    /// The most ranges of a directory: a prefix is one range for each count of digits.
    public static let maximum = 1_000_000

    private var added: [ClosedRange<Int64>] = []

    public init() {}

    /// How many ranges were added.
    public var count: Int { added.count }

    /// Adds ranges, in any order.
    /// - Throws: `EntriesOutOfOrder` if an end of a range is no phone number, `MaximumEntriesExceeded`.
    public mutating func add(_ new: [ClosedRange<Int64>]) throws(CallError) {
        guard new.allSatisfy({ $0.lowerBound > 0 && $0.upperBound <= DirectoryOrder.maximumNumber }) else {
            throw CallError(
                .entriesOutOfOrder,
                "a blocked range is not valid, expected numbers from 1 to \(DirectoryOrder.maximumNumber)")
        }
        guard added.count + new.count <= Self.maximum else {
            throw CallError(.maximumEntriesExceeded, "more than \(Self.maximum) blocked ranges, which is the most")
        }
        added += new
    }

    /// The ranges in order; those that touch are one.
    public var list: [ClosedRange<Int64>] {
        var joined: [ClosedRange<Int64>] = []
        for range in added.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound + 1 {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

extension CompiledDirectory {
    static let rangeBytes = 16

    /// The blocked ranges, in order.
    public var blockedRanges: [ClosedRange<Int64>] { (0..<layout.ranges).compactMap(range) }

    /// Returns whether a blocked range has this number.
    public func blocksRange(with number: Int64) -> Bool {
        var (low, high) = (0, layout.ranges)
        while low < high {
            let middle = (low + high) / 2
            guard let range = range(middle) else { return false }
            if range.contains(number) { return true }
            if range.upperBound < number { low = middle + 1 } else { high = middle }
        }
        return false
    }

    /// - Returns: nil for one that is damaged.
    func range(_ place: Int) -> ClosedRange<Int64>? {
        let offset = layout.rangesOffset + place * Self.rangeBytes
        guard let lower = Int64(exactly: bytes.word(at: offset)),
            let upper = Int64(exactly: bytes.word(at: offset + 8)),
            lower > 0, lower <= upper
        else { return nil }
        return lower...upper
    }
}
