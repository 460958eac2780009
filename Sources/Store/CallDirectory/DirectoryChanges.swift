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
        if !removesAllBlocked { try Self.take(numbers, into: &blocked) }
    }

    public mutating func unidentify(_ numbers: [Int64]) throws(CallError) {
        if !removesAllIdentified { try Self.take(numbers, into: &identified) }
    }

    public mutating func unblockAll() {
        removesAllBlocked = true
        blocked = []
    }

    public mutating func unidentifyAll() {
        removesAllIdentified = true
        identified = []
    }

    private static func take(_ numbers: [Int64], into all: inout [Int64]) throws(CallError) {
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
        let gone = removals.blocked.sorted()
        var kept = old.flatMap { removals.removesAllBlocked ? nil : $0.blockedNumbers }
        var added = additions.blockedNumbers
        var place = 0
        func nextKept() -> Int64? {
            while let number = kept?.next() {
                if !contains(gone, number, from: &place) { return number }
            }
            return nil
        }
        var (left, right) = (nextKept(), added.next())
        while let number = smaller(left, right) {
            try writer.block(number)
            if left == number { left = nextKept() }
            if right == number { right = added.next() }
        }
        try mergeIdentified(old, removing: removals, adding: additions, into: writer)
    }

    private static func mergeIdentified(
        _ old: CompiledDirectory?, removing removals: DirectoryRemovals, adding additions: CompiledDirectory,
        into writer: CompiledDirectoryWriter
    ) throws {
        let gone = removals.identified.sorted()
        var kept = old.flatMap { removals.removesAllIdentified ? nil : $0.identifiedNumbers }
        var added = additions.identifiedNumbers
        var place = 0
        func nextKept() -> IdentificationEntry? {
            while let entry = kept?.next() {
                if !contains(gone, entry.number, from: &place) { return entry }
            }
            return nil
        }
        var (left, right) = (nextKept(), added.next())
        var labels: Set<String> = []
        while let number = smaller(left?.number, right?.number) {
            labels.removeAll(keepingCapacity: true)
            while let entry = left, entry.number == number {
                if labels.insert(entry.label).inserted { try writer.identify(number, entry.label) }
                left = nextKept()
            }
            while let entry = right, entry.number == number {
                if labels.insert(entry.label).inserted { try writer.identify(number, entry.label) }
                right = added.next()
            }
        }
    }

    private static func smaller(_ left: Int64?, _ right: Int64?) -> Int64? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// - Parameter place: how far `sorted` was searched; call this with ascending numbers.
    private static func contains(_ sorted: [Int64], _ number: Int64, from place: inout Int) -> Bool {
        while place < sorted.count, sorted[place] < number { place += 1 }
        return place < sorted.count && sorted[place] == number
    }
}
