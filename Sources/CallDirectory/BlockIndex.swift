// Finds a number in the blocks of one kind.

/// The index of one kind of entries in a file, and what it leads to.
struct BlockIndex: Sendable {
    private static let entriesInBlock = DirectoryLayout.entriesInBlock
    /// Every so many blocks have an entry in `samples`, which is small enough to stay near the processor.
    private static let stride = 16

    /// How far from the guess a number is looked for first, in entries; less than half a block.
    private static let nearness = 16

    private let bytes: Bytes
    private let offset: Int
    private let entryCount: Int
    private let hasLabels: Bool
    private let samples: [Int64]
    let blockCount: Int

    /// - Throws: `damaged` if blocks lie outside of the file's data, or are not in order.
    init(
        _ bytes: Bytes, at offset: Int, entries: Int, hasLabels: Bool, dataEnd: Int
    ) throws(CompiledDirectoryError) {
        self.bytes = bytes
        self.offset = offset
        self.hasLabels = hasLabels
        entryCount = entries
        blockCount = DirectoryLayout.blocks(of: entries)
        var samples: [Int64] = []
        var last: Int64 = 0
        for block in 0..<blockCount {
            let first = Int64(bitPattern: bytes.word(at: offset + block * 16))
            let place = BlockPlace(word: bytes.word(at: offset + block * 16 + 8))
            let count = min(Self.entriesInBlock, entries - block * Self.entriesInBlock)
            let words = place.numberWords(count) + place.labelWords(count)
            guard first > 0, hasLabels ? first >= last : first > last else {
                throw .damaged("block \(block) begins with \(first), after one that begins with \(last)")
            }
            guard place.numberWidth <= 56 || place.numberWidth == 64, place.labelWidth <= (hasLabels ? 32 : 0),
                place.offset >= DirectoryLayout.headerWords, place.offset + words <= dataEnd / 8
            else { throw .damaged("block \(block) lies outside of it") }
            if block % Self.stride == 0 { samples.append(first) }
            last = first
        }
        self.samples = samples
    }

    @inline(__always)
    func first(of block: Int) -> Int64 { Int64(bitPattern: bytes.word(at: offset &+ block &* 16)) }

    @inline(__always)
    func entries(in block: Int) -> Int { min(Self.entriesInBlock, entryCount - block * Self.entriesInBlock) }

    @inline(__always)
    private func place(of block: Int) -> BlockPlace {
        BlockPlace(word: bytes.word(at: offset &+ block &* 16 &+ 8))
    }

    func number(_ position: Int, in block: Int) -> Int64 {
        let place = place(of: block)
        let distance = bytes.bits(at: place.offset &* 8, position &* place.numberWidth, width: place.numberWidth)
        return first(of: block) &+ Int64(bitPattern: distance)
    }

    func label(_ position: Int, in block: Int) -> UInt64 {
        let place = place(of: block)
        let start = place.offset &+ place.numberWords(entries(in: block))
        return bytes.bits(at: start &* 8, position &* place.labelWidth, width: place.labelWidth)
    }

    /// The last block that begins with `number` or a lower one.
    @inline(__always)
    func lastBlock(notAbove number: Int64) -> Int? {
        guard let lowest = samples.first, lowest <= number else { return nil }
        // Steps whose number depends on nothing but the length, and no branch on what is found: a processor guesses half
        // of those wrong.
        var sample = 0
        var length = samples.count
        while length > 1 {
            let half = length &>> 1
            sample &+= samples[sample &+ half] <= number ? half : 0
            length &-= half
        }
        var block = sample &* Self.stride
        length = min(Self.stride, blockCount &- block)
        while length > 1 {
            let half = length &>> 1
            block &+= first(of: block &+ half) <= number ? half : 0
            length &-= half
        }
        return block
    }

    /// The first block that can hold `number`: the block before the first that begins with it or above.
    func firstBlock(thatMayHold number: Int64) -> Int {
        guard number > 1 else { return 0 }
        return lastBlock(notAbove: number - 1) ?? 0
    }

    /// The position of the first entry in `block` that is not below `number`, up to the count of its entries, and whether
    /// it is that number.
    @inline(__always)
    func lowerBound(of number: Int64, in block: Int) -> (position: Int, isFound: Bool) {
        let first = first(of: block)
        guard number >= first else { return (0, false) }
        let place = place(of: block)
        let distance = UInt64(bitPattern: number &- first)
        let (start, width) = (place.offset &* 8, place.numberWidth)
        let count = entries(in: block)
        var (position, length) = (0, count)
        if block &+ 1 < blockCount {
            // Numbers tend to be spread evenly. Where they are, the answer is near the guess and in the same line of the
            // cache; where they are not, looking has cost two steps.
            let span = Double(self.first(of: block &+ 1) &- first)
            let guess = Int(min(Double(count), Double(distance) * Double(count) / max(span, 1)))
            let low = min(max(0, guess &- Self.nearness), count &- 2 &* Self.nearness)
            let high = low &+ 2 &* Self.nearness
            let isAfterLow = bytes.bits(at: start, low &* width, width: width) < distance
            let isBeforeHigh = high == count || bytes.bits(at: start, high &* width, width: width) >= distance
            if isAfterLow, isBeforeHigh { (position, length) = (low, 2 &* Self.nearness) }
        }
        while length > 1 {
            let half = length &>> 1
            position &+= bytes.bits(at: start, (position &+ half &- 1) &* width, width: width) < distance ? half : 0
            length &-= half
        }
        position &+= bytes.bits(at: start, position &* width, width: width) < distance ? 1 : 0
        guard position < count else { return (position, false) }
        return (position, bytes.bits(at: start, position &* width, width: width) == distance)
    }

    /// The entries of one block, and their labels if there are any.
    func decode(_ block: Int) -> (numbers: [Int64], labels: [UInt64]) {
        let place = place(of: block)
        let (first, count) = (first(of: block), entries(in: block))
        let start = place.offset * 8
        let numbers = (0..<count).map {
            first &+ Int64(bitPattern: bytes.bits(at: start, $0 * place.numberWidth, width: place.numberWidth))
        }
        guard hasLabels else { return (numbers, []) }
        let labels = start + place.numberWords(count) * 8
        return (numbers, (0..<count).map { bytes.bits(at: labels, $0 * place.labelWidth, width: place.labelWidth) })
    }
}
