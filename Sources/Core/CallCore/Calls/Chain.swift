// Slots in a row: members come and go in the middle without anyone else being looked at.

/// The two ends of a row; the links between its slots are kept for all of them together.
struct Chain: Sendable, Hashable {
    fileprivate(set) var first: Int32 = -1
    fileprivate(set) var last: Int32 = -1
    fileprivate(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var firstSlot: Int? { first < 0 ? nil : Int(first) }
    var lastSlot: Int? { last < 0 ? nil : Int(last) }
}

/// The links of any number of rows of which a slot is in one at most.
struct ChainLinks: Sendable {
    private struct Link: Sendable {
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private var links: [Link] = []

    func slot(after slot: Int) -> Int? {
        let next = links[slot].next
        return next < 0 ? nil : Int(next)
    }

    func slot(before slot: Int) -> Int? {
        let previous = links[slot].previous
        return previous < 0 ? nil : Int(previous)
    }

    mutating func append(_ slot: Int, to chain: inout Chain) { insert(slot, into: &chain, after: chain.lastSlot) }

    /// Puts a slot behind another, or in front of all (nil).
    mutating func insert(_ slot: Int, into chain: inout Chain, after other: Int?) {
        while links.count <= slot { links.append(Link()) }
        let this = Int32(truncatingIfNeeded: slot)
        let previous = other.map { Int32(truncatingIfNeeded: $0) } ?? -1
        let next = previous < 0 ? chain.first : links[Int(previous)].next
        links[slot] = Link(previous: previous, next: next)
        if previous < 0 { chain.first = this } else { links[Int(previous)].next = this }
        if next < 0 { chain.last = this } else { links[Int(next)].previous = this }
        chain.count += 1
    }

    mutating func remove(_ slot: Int, from chain: inout Chain) {
        let link = links[slot]
        if link.previous < 0 { chain.first = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next < 0 { chain.last = link.previous } else { links[Int(link.next)].previous = link.previous }
        links[slot] = Link()
        chain.count -= 1
    }

    /// The slots of a row from its first to its last.
    func slots(of chain: Chain) -> [Int] {
        var slots: [Int] = []
        slots.reserveCapacity(chain.count)
        var slot = chain.firstSlot
        while let this = slot {
            slots.append(this)
            slot = self.slot(after: this)
        }
        return slots
    }
}
