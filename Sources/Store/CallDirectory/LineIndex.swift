// Finds a number in the lines of one kind.

/// The lines of one kind in a file, and a guide to them.
struct LineIndex: Sendable {
    private let bytes: Bytes
    private let offset: Int
    private let guide: LineGuide
    let lineCount: Int

    /// - Throws: `damaged` if a line is not what its writer left, or not in order.
    init(
        _ bytes: Bytes, at offset: Int, lines: Int, entries: Int, hasLabels: Bool
    ) throws(CompiledDirectoryError) {
        self.bytes = bytes
        self.offset = offset
        lineCount = lines
        var firsts: [UInt64] = []
        firsts.reserveCapacity(lines)
        var (last, count): (Int64, Int) = (0, 0)
        for line in 0..<lines {
            let start = offset + line * DirectoryLayout.lineBytes
            let first = Int64(bitPattern: bytes.word(at: start))
            let shape = LineShape(word: bytes.word(at: start + 8))
            guard hasLabels ? first >= max(last, 1) : first > last, first < .max else {
                throw .damaged("line \(line) begins with \(first), after one that begins with \(last)")
            }
            guard shape.fits, shape.count > 0, hasLabels || shape.labelWidth == 0 else {
                throw .damaged("line \(line) has more than its 64 bytes")
            }
            firsts.append(UInt64(first))
            last = first
            count += shape.count
        }
        guard count == entries else { throw .damaged("\(count) entries, it says that it has \(entries)") }
        guide = LineGuide(to: firsts)
    }

    @inline(__always)
    private func start(of line: Int) -> Int { offset &+ line &* DirectoryLayout.lineBytes }

    @inline(__always)
    func first(of line: Int) -> Int64 { Int64(bitPattern: bytes.word(at: start(of: line))) }

    @inline(__always)
    private func shape(of line: Int) -> LineShape { LineShape(word: bytes.word(at: start(of: line) &+ 8)) }

    func entries(in line: Int) -> Int { shape(of: line).count }

    func number(_ position: Int, in line: Int) -> Int64 {
        let first = first(of: line)
        guard position > 0 else { return first }
        return first &+ Int64(bitPattern: distance(position &- 1, start(of: line), shape(of: line).numberWidth))
    }

    func label(_ position: Int, in line: Int) -> UInt64 {
        let shape = shape(of: line)
        return bytes.bits(
            at: start(of: line) &+ LineShape.payloadOffset, shape.numberBits &+ position &* shape.labelWidth,
            width: shape.labelWidth)
    }

    /// - Parameter position: 0 for the second entry.
    @inline(__always)
    private func distance(_ position: Int, _ start: Int, _ width: Int) -> UInt64 {
        bytes.bits(at: start &+ LineShape.payloadOffset, position &* width, width: width)
    }

    /// The last line that begins with `number` or a lower one.
    @inline(__always)
    func lastLine(notAbove number: Int64) -> Int? {
        guard lineCount > 0, number >= first(of: 0) else { return nil }
        var line = guide.line(of: number)
        // The guide may be a little ahead.
        while line > 0, first(of: line) > number { line -= 1 }
        return line
    }

    /// The first line that can hold `number`: the line before the first that begins with it or above.
    func firstLine(thatMayHold number: Int64) -> Int {
        guard number > 1 else { return 0 }
        return lastLine(notAbove: number - 1) ?? 0
    }

    /// Whether `number` is in `line`.
    @inline(__always)
    func has(_ number: Int64, in line: Int) -> Bool {
        let shape = shape(of: line)
        guard shape.numberWidth == 8 || shape.numberWidth == 16 else {
            return lowerBound(of: number, in: line).isFound
        }
        let distance = UInt64(bitPattern: number &- first(of: line))
        return distance == 0 || bytes.hasLane(distance, width: shape.numberWidth, inLineAt: start(of: line))
    }

    /// The position of the first entry in `line` that is not below `number`, up to the count of its entries, and whether
    /// it is that number.
    @inline(__always)
    func lowerBound(of number: Int64, in line: Int) -> (position: Int, isFound: Bool) {
        let first = first(of: line)
        let shape = shape(of: line)
        guard number > first, shape.count > 1 else { return (number > first ? 1 : 0, number == first) }
        let distance = UInt64(bitPattern: number &- first)
        let (start, width) = (start(of: line), shape.numberWidth)
        let others = shape.count &- 1
        let below = bytes.countBelow(
            distance, at: start &+ LineShape.payloadOffset, count: others, width: width)
        return (1 &+ below, below < others && self.distance(below, start, width) == distance)
    }
}
