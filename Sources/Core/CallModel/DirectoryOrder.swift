// The order that the entries of a call directory have to come in; plugin and host both hold them to it.

/// Checks the entries of one list as they come: numbers from 1 to `maximumNumber`, each above the one before. What is
/// blocked comes once; what is identified may come again at once, with another label.
public struct DirectoryOrder: Sendable {
    public static let maximumNumber = Int64.max - 1
    /// The most entries that a list may have, of both kinds together.
    public static let maximumEntries = 10_000_000

    public private(set) var blocked = 0
    public private(set) var identified = 0
    private let maximum: Int
    private var lastBlocked: Int64 = 0
    private var lastIdentified: Int64 = 0
    /// The labels that the last number has by now.
    private var lastLabels: Set<String> = []

    public init(maximum: Int = maximumEntries) { self.maximum = maximum }

    /// - Throws: `EntriesOutOfOrder`, `DuplicateEntries` or `MaximumEntriesExceeded`.
    @inlinable
    public mutating func block(_ number: Int64) throws(CallError) {
        guard isNextBlocked(number) else { throw refusalToBlock(number) }
    }

    /// - Returns: false if `block` throws, for whom a throw takes too long.
    public mutating func isNextBlocked(_ number: Int64) -> Bool {
        guard number > lastBlocked, number <= Self.maximumNumber, blocked + identified < maximum else { return false }
        lastBlocked = number
        blocked += 1
        return true
    }

    /// What is wrong with the number that would be blocked next.
    public func refusalToBlock(_ number: Int64) -> CallError {
        if number == lastBlocked, blocked > 0 {
            return CallError(
                .duplicateEntries,
                "blocking entry \(blocked + 1): \(number) comes after \(lastBlocked), which is blocked already")
        }
        return refusal("blocking entry \(blocked + 1)", number, after: lastBlocked)
    }

    /// - Parameter label: as it will be shown.
    /// - Throws: `EntriesOutOfOrder`, `DuplicateEntries` or `MaximumEntriesExceeded`.
    public mutating func identify(_ number: Int64, _ label: String) throws(CallError) {
        guard number >= max(lastIdentified, 1), number <= Self.maximumNumber, blocked + identified < maximum else {
            throw refusal("identification entry \(identified + 1)", number, after: lastIdentified)
        }
        if number != lastIdentified { lastLabels.removeAll(keepingCapacity: true) }
        guard lastLabels.insert(label).inserted else {
            throw CallError(
                .duplicateEntries,
                "identification entry \(identified + 1): \(number) comes after \(lastIdentified) with the same label")
        }
        lastIdentified = number
        identified += 1
    }

    private func refusal(_ entry: String, _ number: Int64, after last: Int64) -> CallError {
        if number < 1 || number > Self.maximumNumber {
            let place = last > 0 ? " after \(last)" : ""
            return CallError(
                .entriesOutOfOrder,
                "\(entry): \(number)\(place) is not a valid number, expected 1 to \(Self.maximumNumber)")
        }
        if number < last {
            return CallError(
                .entriesOutOfOrder, "\(entry): \(number) comes after \(last), expected ascending numbers")
        }
        return CallError(.maximumEntriesExceeded, "\(entry): more than \(maximum) entries, which is the most")
    }
}
