// LabelTable: the different labels of a directory that is being written.

/// Numbers labels in the order of their first use. Takes some 16 bytes for each, and their text.
struct LabelTable {
    /// All different labels together, in bytes.
    static let maximumBytes = 64 << 20

    private(set) var bytes: [UInt8] = []
    /// Where each label ends in `bytes`.
    private(set) var ends: [UInt32] = []
    /// Of each label's text. Seeded anew in each process, so that nobody can choose labels that all land in one place.
    private var hashes: [UInt32] = []
    /// Numbers of labels plus one, found by hash; a power of two of them, at most half in use.
    private var slots = [UInt32](repeating: 0, count: 1_024)

    /// - Returns: the label's number; nil if there is no room for another.
    mutating func number(of label: String) -> UInt32? {
        let hash = UInt32(truncatingIfNeeded: label.hashValue)
        let slot = slot(hash) { $0.elementsEqual(label.utf8) }
        if slots[slot] != 0 { return slots[slot] - 1 }
        guard bytes.count + label.utf8.count <= Self.maximumBytes else { return nil }
        bytes.append(contentsOf: label.utf8)
        ends.append(UInt32(bytes.count))
        hashes.append(hash)
        slots[slot] = UInt32(ends.count)
        if ends.count * 2 > slots.count { grow() }
        return UInt32(ends.count - 1)
    }

    /// The slot of the label that has this hash and is it; else the empty one where it belongs.
    private func slot(_ hash: UInt32, isIt: (ArraySlice<UInt8>) -> Bool) -> Int {
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            let start = number == 0 ? 0 : Int(ends[number - 1])
            if hashes[number] == hash, isIt(bytes[start..<Int(ends[number])]) { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, hash) in hashes.enumerated() {
            let slot = slot(hash) { _ in false }
            slots[slot] = UInt32(number + 1)
        }
    }
}
