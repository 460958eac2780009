// The entries of a compiled directory one after another.

/// An entry that names a number.
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
    public var blockedNumbers: BlockedNumbers { BlockedNumbers(index: blocked) }

    public struct BlockedNumbers: Sequence, IteratorProtocol {
        fileprivate let index: BlockIndex
        private var block = 0
        private var numbers: [Int64] = []
        private var position = 0

        fileprivate init(index: BlockIndex) { self.index = index }

        public mutating func next() -> Int64? {
            while position == numbers.count {
                guard block < index.blockCount else { return nil }
                numbers = index.decode(block).numbers
                block += 1
                position = 0
            }
            position += 1
            return numbers[position - 1]
        }
    }

    /// The identified numbers, in ascending order; of one number in the order in which its labels were given.
    public var identifiedNumbers: IdentifiedNumbers { IdentifiedNumbers(directory: self) }

    public struct IdentifiedNumbers: Sequence, IteratorProtocol {
        private let directory: CompiledDirectory
        private var block = 0
        private var entries: (numbers: [Int64], labels: [UInt64]) = ([], [])
        private var position = 0

        fileprivate init(directory: CompiledDirectory) { self.directory = directory }

        public mutating func next() -> IdentificationEntry? {
            while position == entries.numbers.count {
                guard block < directory.identified.blockCount else { return nil }
                entries = directory.identified.decode(block)
                block += 1
                position = 0
            }
            position += 1
            return IdentificationEntry(
                entries.numbers[position - 1], directory.label(entries.labels[position - 1]))
        }
    }
}
