// LabelTable: the different labels of a directory that is being written.

/// Numbers labels in the order of their first use. Takes some 16 bytes for each label besides its text.
struct LabelTable {
    /// The most bytes of all different labels together.
    static let maximumBytes = 64 << 20

    private(set) var bytes: [UInt8] = []
    /// Where each label ends in `bytes`.
    private(set) var ends: [UInt32] = []
    /// The hash of each label. Seeded anew in each process, so that no plugin can choose labels with equal hashes.
    private var hashes: [UInt32] = []
    /// The number of a label plus one, by hash; 0 is empty. The count is a power of two, and at most half are in use.
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

    /// Returns the slot of the label with this hash for which `isIt` is true; else the empty slot where it belongs.
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
