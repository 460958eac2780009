// The memory of every call identifier ever seen, at most ten bytes each.

import CallModel

/// Remembers identifiers by a 64-bit digest. A used identifier is never taken for new. A new one is taken for used, and
/// its call refused, with odds of n in 2⁶⁴ after n calls: one in 10¹³ after a million, one in 10¹⁰ after a billion.
///
/// The digests are in bins, sorted. For every `share` digests there is one bin more, which takes its part from one other
/// (linear hashing), so that no insertion has to move everything. A bin's room exceeds its digests by at most the larger
/// of `step` and a sixteenth: however the digests fall, that is ten bytes each once there are a thousand. Somebody who
/// picks identifiers so that their digests fall together makes it slower, and no larger.
struct UsedIDs: Sendable {
    /// How many digests there are for each bin.
    private static let share = 128
    private static let step = 16

    private var bins: [[UInt64]] = [[]]
    private(set) var count = 0

    func contains(_ id: CallID) -> Bool {
        let digest = Self.digest(of: id)
        let bin = bins[bin(of: digest)]
        let position = Self.position(of: digest, in: bin)
        return position < bin.count && bin[position] == digest
    }

    mutating func insert(_ id: CallID) {
        let digest = Self.digest(of: id)
        let bin = bin(of: digest)
        let position = Self.position(of: digest, in: bins[bin])
        let size = bins[bin].count
        if position < size, bins[bin][position] == digest { return }
        if size == bins[bin].capacity { bins[bin].reserveCapacity(size + max(Self.step, size / 16)) }
        bins[bin].insert(digest, at: position)
        count += 1
        if count > bins.count * Self.share { addBin() }
    }

    /// What all of it takes, in bytes, with what an array and its place in memory add to each bin.
    var bytes: Int {
        bins.reduce(bins.capacity * MemoryLayout<[UInt64]>.stride) { sum, bin in
            sum + bin.capacity * MemoryLayout<UInt64>.stride + 48
        }
    }

    /// The bin for `digest`: its last bits, one less if there is no such bin yet.
    private func bin(of digest: UInt64) -> Int {
        let top = Self.top(of: bins.count)
        let bin = Int(truncatingIfNeeded: digest) & (2 * top - 1)
        return bin < bins.count ? bin : bin - top
    }

    /// Adds a bin with the digests that have one more of its bits than their bin has.
    private mutating func addBin() {
        let top = Self.top(of: bins.count)
        let old = bins.count - top
        let whole = bins[old]
        let bit = UInt64(top)
        let leaving = whole.count { $0 & bit != 0 }
        bins[old] = Self.part(of: whole, whole.count - leaving) { $0 & bit == 0 }
        bins.append(Self.part(of: whole, leaving) { $0 & bit != 0 })
    }

    private static func part(of whole: [UInt64], _ count: Int, where belongs: (UInt64) -> Bool) -> [UInt64] {
        var part: [UInt64] = []
        part.reserveCapacity(count)
        for digest in whole where belongs(digest) { part.append(digest) }
        return part
    }

    /// The largest power of two that is at most `count`.
    private static func top(of count: Int) -> Int { 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount) }

    /// Where a digest is, or else where it belongs.
    private static func position(of digest: UInt64, in bin: [UInt64]) -> Int {
        // Digests are spread evenly: it is near where it would be among evenly spaced ones.
        var position = Int(truncatingIfNeeded: digest.multipliedFullWidth(by: UInt64(bin.count)).high)
        while position > 0, bin[position - 1] >= digest { position -= 1 }
        while position < bin.count, bin[position] < digest { position += 1 }
        return position
    }

    /// Every bit of it depends on every bit of the identifier, be that random, a time or a count.
    private static func digest(of id: CallID) -> UInt64 {
        var digest = id.high
        digest = (digest ^ digest >> 32) &* 0x9E37_79B9_7F4A_7C15
        digest = (digest ^ digest >> 32) &+ id.low
        digest = (digest ^ digest >> 33) &* 0xFF51_AFD7_ED55_8CCD
        digest = (digest ^ digest >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return digest ^ digest >> 33
    }
}
