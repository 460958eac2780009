// Finds a number in the lines of one kind.

/// The lines of one kind in a file, and a guide to them.
struct LineIndex: Sendable {
    private let bytes: Bytes
    private let offset: Int
    private let guide: LineGuide
    let lineCount: Int

    /// - Throws: `damaged` if a line is invalid or out of order.
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
        guard count == entries else { throw .damaged("\(count) entries, its header announces \(entries)") }
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
        let width = shape(of: line).numberWidth
        let distance = bytes.bits(
            at: start(of: line) &+ LineShape.payloadOffset, (position &- 1) &* width, width: width)
        return first &+ Int64(bitPattern: distance)
    }

    func label(_ position: Int, in line: Int) -> UInt64 {
        let shape = shape(of: line)
        return bytes.bits(
            at: start(of: line) &+ LineShape.payloadOffset, shape.numberBits &+ position &* shape.labelWidth,
            width: shape.labelWidth)
    }

    /// Returns the last line that begins with `number` or a lower one.
    @inline(__always)
    func lastLine(notAbove number: Int64) -> Int? {
        guard lineCount > 0, number >= first(of: 0) else { return nil }
        var line = guide.line(of: number)
        // The guide may be a little ahead.
        while line > 0, first(of: line) > number { line -= 1 }
        return line
    }

    /// Returns the first line that can hold `number`: the one before the first line that begins with it or a higher number.
    func firstLine(thatMayHold number: Int64) -> Int {
        guard number > 1 else { return 0 }
        return lastLine(notAbove: number - 1) ?? 0
    }

    /// Returns whether `number` is in `line`.
    @inline(__always)
    func has(_ number: Int64, in line: Int) -> Bool {
        let shape = shape(of: line)
        guard shape.numberWidth == 8 || shape.numberWidth == 16 else {
            let position = lowerBound(of: number, in: line)
            return position < shape.count && self.number(position, in: line) == number
        }
        let distance = UInt64(bitPattern: number &- first(of: line))
        return distance == 0 || bytes.hasLane(distance, width: shape.numberWidth, inLineAt: start(of: line))
    }

    /// Returns the position of the first entry in `line` that is not below `number`, or the count of its entries.
    func lowerBound(of number: Int64, in line: Int) -> Int {
        var (low, high) = (0, entries(in: line))
        while low < high {
            let middle = (low + high) / 2
            if self.number(middle, in: line) < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
