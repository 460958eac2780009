// LineGuide: leads from a number to the line that may hold it, without reading lines.

/// The rounded first numbers of lines, small enough to stay in the processor's cache: two bytes for a
/// line. Nodes of 32 lines begin with an exact number; a table of evenly spread numbers leads to the nodes.
struct LineGuide: Sendable {
    private static let linesInNode = 32
    private static let nodeBytes = linesInNode * 2
    private static let maximumSlots = 1_024
    /// Stands for a missing line; above all others.
    private static let none: UInt64 = 0x7FFF

    /// Two words for each slot, its first node and the number of its nodes; the nodes' first numbers; the nodes.
    private let bytes: Bytes
    private let lowest: Int64
    private let lastSlot: Int
    private let slotShift: UInt64
    private let basesOffset: Int
    private let nodesOffset: Int

    /// - Parameter firsts: the first number of each line, in ascending order.
    init(to firsts: [UInt64]) {
        var bases: [UInt64] = []
        var nodes: [UInt64] = []
        for start in stride(from: 0, to: firsts.count, by: Self.linesInNode) {
            bases.append(firsts[start])
            nodes += Self.node(firsts[start..<min(start + Self.linesInNode, firsts.count)])
        }
        let (low, high) = (bases.first ?? 0, bases.last ?? 0)
        lowest = Int64(bitPattern: low)
        // About one slot for each node.
        let slotBits = min(Int.bitWidth - bases.count.leadingZeroBitCount, Self.maximumSlots.trailingZeroBitCount)
        lastSlot = (1 << slotBits) - 1
        let shift = max(0, 64 - (high &- low).leadingZeroBitCount - slotBits)
        slotShift = UInt64(shift)
        var words: [UInt64] = []
        var node = 0
        for slot in 0...lastSlot {
            // The last node that begins before the slot, and those that begin within it.
            let start = low &+ UInt64(slot) << UInt64(shift)
            let end = start &+ (1 << UInt64(shift)) &- 1
            while node + 1 < bases.count, bases[node + 1] <= start { node += 1 }
            var last = node
            while last + 1 < bases.count, bases[last + 1] <= end { last += 1 }
            words += [UInt64(node), UInt64(last - node + 1)]
        }
        basesOffset = words.count * 8
        words += bases
        words += Array(repeating: 0, count: (8 - words.count % 8) % 8)
        nodesOffset = words.count * 8
        bytes = Bytes(words: words + nodes)
    }

    /// Returns 32 values of 15 bits. The first line begins with the node: its value tells how the others are rounded.
    private static func node(_ firsts: ArraySlice<UInt64>) -> [UInt64] {
        let base = firsts.first ?? 0
        let shift = max(0, 64 - ((firsts.last ?? 0) &- base).leadingZeroBitCount - 14)
        var keys = [UInt64(shift)] + firsts.dropFirst().map { ($0 &- base) >> UInt64(shift) }
        keys += Array(repeating: none, count: linesInNode - keys.count)
        return stride(from: 0, to: linesInNode, by: 4).map { start in
            keys[start..<start + 4].reversed().reduce(0) { $0 << 16 | $1 }
        }
    }

    /// Returns the line that may hold `number`, or a line a little behind it whose first number is rounded alike.
    /// - Parameter number: at least the first number of all.
    @inline(__always)
    func line(of number: Int64) -> Int {
        let slot = min(Int(truncatingIfNeeded: UInt64(bitPattern: number &- lowest) &>> slotShift), lastSlot)
        var node = Int(truncatingIfNeeded: bytes.word(at: slot &* 16))
        var length = Int(truncatingIfNeeded: bytes.word(at: slot &* 16 &+ 8))
        while length > 1 {
            let half = length &>> 1
            // The sign instead of a branch.
            let isAbove = (number &- Int64(bitPattern: base(of: node &+ half))) &>> 63
            node &+= half & ~Int(truncatingIfNeeded: isAbove)
            length &-= half
        }
        let start = nodesOffset &+ node &* Self.nodeBytes
        let shift = bytes.word(at: start) & 0xFFFF
        let distance = UInt64(bitPattern: number &- Int64(bitPattern: base(of: node))) &>> shift
        let key = min(distance, Self.none &- 1)
        return node &* Self.linesInNode &+ bytes.countNotAbove(key, at: start) &- (shift <= key ? 1 : 0)
    }

    @inline(__always)
    private func base(of node: Int) -> UInt64 { bytes.word(at: basesOffset &+ node &* 8) }
}
