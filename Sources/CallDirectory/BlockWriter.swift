// Collects the entries of one kind and writes them block by block.

/// One block's worth of entries, and the index of the blocks before.
struct BlockWriter {
    private var numbers: [Int64] = []
    /// As many as numbers, or none.
    private var labels: [UInt32] = []
    /// Two words for each block before: its first number, and its place.
    private(set) var index: [UInt64] = []
    private(set) var count = 0

    init() {
        numbers.reserveCapacity(DirectoryLayout.entriesInBlock)
    }

    mutating func append(_ number: Int64, to file: WordFile) throws(CompiledDirectoryError) {
        numbers.append(number)
        if numbers.count == DirectoryLayout.entriesInBlock { try flush(to: file) }
    }

    mutating func append(_ number: Int64, _ label: UInt32, to file: WordFile) throws(CompiledDirectoryError) {
        labels.append(label)
        try append(number, to: file)
    }

    mutating func flush(to file: WordFile) throws(CompiledDirectoryError) {
        guard let first = numbers.first, let last = numbers.last else { return }
        let place = BlockPlace(
            offset: file.position, numberWidth: BlockPlace.width(of: UInt64(last - first)),
            labelWidth: UInt32.bitWidth - (labels.max() ?? 0).leadingZeroBitCount)
        index.append(UInt64(first))
        index.append(place.word)
        count += numbers.count
        try Self.pack(numbers, place.numberWidth, to: file) { UInt64($0 - first) }
        try Self.pack(labels, place.labelWidth, to: file) { UInt64($0) }
        numbers.removeAll(keepingCapacity: true)
        labels.removeAll(keepingCapacity: true)
    }

    /// Writes as many bits of each value, from the lowest bit of a word on.
    @inline(__always)
    private static func pack<Value>(
        _ values: [Value], _ width: Int, to file: WordFile, _ bits: (Value) -> UInt64
    ) throws(CompiledDirectoryError) {
        guard width > 0 else { return }
        var word: UInt64 = 0
        var filled = 0
        for value in values {
            let value = bits(value)
            word |= value << UInt64(filled)
            filled += width
            guard filled >= 64 else { continue }
            try file.append(word)
            filled -= 64
            word = filled > 0 ? value >> UInt64(width - filled) : 0
        }
        if filled > 0 { try file.append(word) }
    }
}
