// LineWriter: collects the entries of one kind and writes them line by line.

/// The entries of the line that is not full yet, and the counts of what was written.
struct LineWriter {
    private var numbers: [Int64] = []
    /// One for each number; empty for blocked numbers.
    private var labels: [UInt32] = []
    private var shape = LineShape()
    /// How many entries fit in a line of this shape.
    private var room = 0
    private(set) var lineCount = 0
    /// Entries written.
    private(set) var count = 0

    private let isLaned: Bool

    /// - Parameter isLaned: whether a look-up compares all numbers of a line at once.
    init(isLaned: Bool) {
        self.isLaned = isLaned
        numbers.reserveCapacity(LineShape.maximumCount)
    }

    mutating func append(_ number: Int64, to file: WordFile) throws(CompiledDirectoryError) {
        if numbers.count < room, UInt64(bitPattern: number &- numbers[0]) >> UInt64(shape.numberWidth) == 0 {
            numbers.append(number)
            shape.count += 1
            return
        }
        if !fits(number, labelWidth: 0) { try flush(to: file) }
        append(number, labelWidth: 0)
        let others = shape.numberWidth > 0 ? LineShape.payloadBits / shape.numberWidth : 0
        room = min(1 + others, LineShape.maximumCount)
    }

    mutating func append(
        _ number: Int64, _ label: UInt32, to file: WordFile
    ) throws(CompiledDirectoryError) {
        let width = UInt32.bitWidth - label.leadingZeroBitCount
        if !fits(number, labelWidth: width) { try flush(to: file) }
        append(number, labelWidth: width)
        labels.append(label)
    }

    private func with(_ number: Int64, labelWidth: Int) -> LineShape {
        var shape = shape
        if let first = numbers.first {
            let width = 64 - UInt64(bitPattern: number &- first).leadingZeroBitCount
            // See `LineIndex.has`.
            shape.numberWidth = isLaned && width <= 16 ? (width <= 8 ? 8 : 16) : width
        }
        shape.labelWidth = max(shape.labelWidth, labelWidth)
        shape.count += 1
        return shape
    }

    private func fits(_ number: Int64, labelWidth: Int) -> Bool {
        numbers.count < LineShape.maximumCount && with(number, labelWidth: labelWidth).fits
    }

    private mutating func append(_ number: Int64, labelWidth: Int) {
        shape = with(number, labelWidth: labelWidth)
        numbers.append(number)
    }

    /// Writes the line that is not full.
    mutating func flush(to file: WordFile) throws(CompiledDirectoryError) {
        guard let first = numbers.first else { return }
        try file.append(UInt64(first))
        var bits = BitRun(shape.word, LineShape.payloadOffset * 8 - 64)
        for number in numbers.dropFirst() { try bits.append(UInt64(number &- first), shape.numberWidth, to: file) }
        for label in labels { try bits.append(UInt64(label), shape.labelWidth, to: file) }
        try bits.finish(words: DirectoryLayout.lineWords - 1, to: file)
        lineCount += 1
        count += numbers.count
        numbers.removeAll(keepingCapacity: true)
        labels.removeAll(keepingCapacity: true)
        shape = LineShape()
        room = 0
    }
}

/// Values of any width, one after the other, from the lowest bit of a word on.
private struct BitRun {
    private var word: UInt64
    private var filled: Int
    private var written = 0

    /// - Parameters:
    ///   - word: the first bits.
    ///   - filled: how many bits of `word` count, less than 64.
    init(_ word: UInt64, _ filled: Int) {
        self.word = word
        self.filled = filled
    }

    @inline(__always)
    mutating func append(_ value: UInt64, _ width: Int, to file: WordFile) throws(CompiledDirectoryError) {
        word |= value << UInt64(filled)
        filled += width
        guard filled >= 64 else { return }
        try file.append(word)
        written += 1
        filled -= 64
        word = filled > 0 ? value >> UInt64(width - filled) : 0
    }

    /// Fills up with zeros to a number of words.
    mutating func finish(words: Int, to file: WordFile) throws(CompiledDirectoryError) {
        while written < words {
            try file.append(word)
            word = 0
            written += 1
        }
    }
}
