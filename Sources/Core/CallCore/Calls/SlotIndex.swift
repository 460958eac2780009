// Which slot a key is in: a hash table without randomness, whose lookups cost a multiplication and a comparison.

import CallModel

/// What a `SlotIndex` finds things by.
protocol SlotKey: Hashable, Sendable {
    /// 64 bits, of which the upper ones differ wherever keys do.
    var spread: UInt64 { get }
}

/// Open addressing with linear probing, at most half full; a removal closes the gap that it leaves. Keys that were
/// chosen to collide cost one comparison each, and there are never more of them than calls that are let in.
struct SlotIndex<Key: SlotKey>: Sendable {
    private struct Entry: Sendable {
        let key: Key
        let slot: Int32
    }

    private var entries: [Entry?] = []
    private var shift: UInt64 = 64
    private(set) var count = 0

    subscript(key: Key) -> Int? {
        guard count > 0 else { return nil }
        var position = home(of: key)
        while let entry = entries[position] {
            if entry.key == key { return Int(entry.slot) }
            position = next(after: position)
        }
        return nil
    }

    /// `key` must not be there yet.
    mutating func insert(_ key: Key, at slot: Int) {
        if (count + 1) * 2 > entries.count { grow() }
        place(Entry(key: key, slot: Int32(truncatingIfNeeded: slot)))
        count += 1
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Int? {
        guard count > 0 else { return nil }
        var gap = home(of: key)
        while let entry = entries[gap], entry.key != key { gap = next(after: gap) }
        guard let removed = entries[gap] else { return nil }
        count -= 1
        var position = next(after: gap)
        while let entry = entries[position] {
            // What may not stand before its home stays where it is.
            let mask = entries.count - 1
            if (position - home(of: entry.key)) & mask >= (position - gap) & mask {
                entries[gap] = entry
                gap = position
            }
            position = next(after: position)
        }
        entries[gap] = nil
        return Int(removed.slot)
    }

    private func home(of key: Key) -> Int { Int(truncatingIfNeeded: key.spread >> shift) }

    private func next(after position: Int) -> Int { (position + 1) & (entries.count - 1) }

    private mutating func place(_ entry: Entry) {
        var position = home(of: entry.key)
        while entries[position] != nil { position = next(after: position) }
        entries[position] = entry
    }

    private mutating func grow() {
        let old = entries
        entries = Array(repeating: nil, count: max(8, old.count * 2))
        shift = UInt64(entries.count.leadingZeroBitCount) + 1
        for case let entry? in old { place(entry) }
    }
}

extension CallID: SlotKey {
    var spread: UInt64 { (high &* 0xD1B5_4A32_D192_ED03 ^ low) &* 0x9E37_79B9_7F4A_7C15 }
}

extension ActionID: SlotKey {
    var spread: UInt64 { number &* 0x9E37_79B9_7F4A_7C15 }
}

extension TransactionID: SlotKey {
    var spread: UInt64 { number &* 0x9E37_79B9_7F4A_7C15 }
}
