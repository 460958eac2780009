// Walks the entries of a compiled directory.

/// An entry that labels a number.
public struct IdentificationEntry: Hashable, Sendable {
    public let number: Int64
    public let label: String

    public init(_ number: Int64, _ label: String) {
        self.number = number
        self.label = label
    }
}

extension CompiledDirectory {
    /// The blocked numbers, in ascending order.
    public var blockedNumbers: BlockedNumbers { BlockedNumbers(walk: LineWalk(blocked)) }

    public struct BlockedNumbers: Sequence, IteratorProtocol {
        fileprivate var walk: LineWalk

        public mutating func next() -> Int64? {
            guard let (line, position) = walk.next() else { return nil }
            return walk.index.number(position, in: line)
        }
    }

    /// The identified numbers, in ascending order; the labels of a number in the order in which they were added.
    public var identifiedNumbers: IdentifiedNumbers {
        IdentifiedNumbers(directory: self, walk: LineWalk(identified))
    }

    public struct IdentifiedNumbers: Sequence, IteratorProtocol {
        fileprivate let directory: CompiledDirectory
        fileprivate var walk: LineWalk

        public mutating func next() -> IdentificationEntry? {
            guard let (line, position) = walk.next() else { return nil }
            let label = directory.label(walk.index.label(position, in: line))
            return IdentificationEntry(walk.index.number(position, in: line), label)
        }
    }
}

/// Walks the places of the entries of one kind.
private struct LineWalk {
    let index: LineIndex
    private var line = 0
    private var position = 0
    private var count = 0

    init(_ index: LineIndex) {
        self.index = index
        if index.lineCount > 0 { count = index.entries(in: 0) }
    }

    mutating func next() -> (line: Int, position: Int)? {
        while position >= count {
            guard line + 1 < index.lineCount else { return nil }
            line += 1
            position = 0
            count = index.entries(in: line)
        }
        defer { position += 1 }
        return (line, position)
    }
}
