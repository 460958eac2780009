// What all lists say together.

/// The numbers to block and to name.
struct ListContents {
    struct Named: Hashable {
        let number: Int64
        let label: String
    }

    /// Unsorted.
    var blocked: [Int64] = []
    private(set) var named: [Named] = []
    private(set) var ranges: [ClosedRange<Int64>] = []

    var isEmpty: Bool { blocked.isEmpty && named.isEmpty && ranges.isEmpty }

    /// - Parameter blocksAll: whether a number with a label is blocked, too. Numbers of which there are many cannot be named, and
    ///   are always blocked.
    mutating func add(_ entry: ListEntry, blocksAll: Bool) {
        guard let number = entry.numbers.single else { return ranges += entry.numbers.ranges }
        if let label = entry.label { named.append(Named(number: number, label: label)) }
        if blocksAll || entry.label == nil { blocked.append(number) }
    }
}
