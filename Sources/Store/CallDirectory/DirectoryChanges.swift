// DirectoryChanges: the removals of an incremental load, and the merge with the old directory.

public import CallModel

/// What an incremental load removes. Its additions have a file of their own, see `merge`.
public struct DirectoryRemovals: Sendable {
    /// The most single numbers of each kind to remove.
    public static let maximumNumbers = 2_000_000

    public private(set) var blocked: [Int64] = []
    public private(set) var identified: [Int64] = []
    public private(set) var removesAllBlocked = false
    public private(set) var removesAllIdentified = false

    public init() {}

    /// Removes numbers; ignores unknown and repeated ones.
    /// - Throws: `MaximumEntriesExceeded`.
    public mutating func unblock(_ numbers: [Int64]) throws(CallError) {
        if !removesAllBlocked { try Self.append(numbers, into: &blocked) }
    }

    public mutating func unidentify(_ numbers: [Int64]) throws(CallError) {
        if !removesAllIdentified { try Self.append(numbers, into: &identified) }
    }

    public mutating func unblockAll() {
        removesAllBlocked = true
        blocked = []
    }

    public mutating func unidentifyAll() {
        removesAllIdentified = true
        identified = []
    }

    private static func append(_ numbers: [Int64], into all: inout [Int64]) throws(CallError) {
        guard all.count + numbers.count <= maximumNumbers else {
            throw CallError(
                .maximumEntriesExceeded,
                "more than \(maximumNumbers) numbers removed one by one: remove all, or load all anew")
        }
        all += numbers
    }
}

extension CompiledDirectory {
    /// Writes `old` without `removals` and with `additions`; an entry in both is there once. Keeps no more in memory than the
    /// removals and what a writer keeps.
    ///
    /// - Parameter old: nil for none.
    /// - Throws: a `CallError` for too many entries, or a `CompiledDirectoryError`.
    public static func merge(
        _ old: CompiledDirectory?, removing removals: DirectoryRemovals, adding additions: CompiledDirectory,
        into writer: CompiledDirectoryWriter
    ) throws {
        if !removals.removesAllBlocked, let old { try writer.blockRanges(old.blockedRanges) }
        try writer.blockRanges(additions.blockedRanges)
        let blocked = removals.removesAllBlocked ? nil : old?.blockedNumbers
        try merge(blocked, without: removals.blocked, additions.blockedNumbers, { $0 }) { number, _ in
            try writer.block(number)
        }
        let identified = removals.removesAllIdentified ? nil : old?.identifiedNumbers
        try merge(identified, without: removals.identified, additions.identifiedNumbers, \.number) { number, entries in
            var labels: Set<String> = []
            for entry in entries where labels.insert(entry.label).inserted { try writer.identify(number, entry.label) }
        }
    }

    /// Passes the entries of each number to `body`, the old ones first, in ascending order of the numbers.
    private static func merge<Entries: IteratorProtocol>(
        _ old: Entries?, without gone: [Int64], _ additions: Entries, _ number: (Entries.Element) -> Int64,
        _ body: (Int64, [Entries.Element]) throws -> Void
    ) rethrows {
        var (old, additions, gone) = (old, additions, gone.sorted()[...])
        func nextOld() -> Entries.Element? {
            while let entry = old?.next() {
                gone = gone.drop { $0 < number(entry) }
                if gone.first != number(entry) { return entry }
            }
            return nil
        }
        var (left, right) = (nextOld(), additions.next())
        var entries: [Entries.Element] = []
        while let first = left ?? right {
            let lowest = min(number(first), number(right ?? first))
            entries.removeAll(keepingCapacity: true)
            while let entry = left, number(entry) == lowest {
                entries.append(entry)
                left = nextOld()
            }
            while let entry = right, number(entry) == lowest {
                entries.append(entry)
                right = additions.next()
            }
            try body(lowest, entries)
        }
    }
}
