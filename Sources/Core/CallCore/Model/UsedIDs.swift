// The memory of every call identifier ever seen, seven bytes each.

import CallModel

/// Remembers identifiers by a 48-bit digest. A used identifier is never taken for new. A new one is taken for used, and
/// its call refused, with odds of n in 2⁴⁸ after n calls: one in 280 million after a million calls.
///
/// The digests are in bins. For every `share` digests there is one bin more, which takes its part from one other (linear
/// hashing), so that no insertion has to move everything. A bin is a list of pages, all of which but its first are full,
/// and pages are parts of slabs that are never given back: however the digests fall, and whatever else comes and goes in
/// memory, that is at most nine bytes each once there are ten thousand. Somebody who picks identifiers so that their
/// digests fall together makes it slower, and no larger.
struct UsedIDs: Sendable {
    /// How many digests there are for each bin.
    private static let share = 128
    /// How many digests a page has, and how many pages a slab has.
    private static let pageSize = 16
    private static let slabSize = 64
    private static let noPage = UInt32.max

    private struct Bin {
        /// Where a digest can be added.
        var firstPage = noPage
        var count: UInt32 = 0
    }

    private struct Slab {
        /// The upper 32 bits of each digest, by which it is found, and the lower 16.
        var uppers = Array(repeating: UInt32(0), count: slabSize * pageSize)
        var lowers = Array(repeating: UInt16(0), count: slabSize * pageSize)
    }

    private var bins = [Bin()]
    private var slabs: [Slab] = []
    /// For each page the one after it, in its bin or among the free ones.
    private var nextPages: [UInt32] = []
    private var freePage = noPage
    private(set) var count = 0

    func contains(_ id: CallID) -> Bool { contains(Self.digest(of: id)) }

    mutating func insert(_ id: CallID) {
        let digest = Self.digest(of: id)
        if contains(digest) { return }
        add(digest)
        count += 1
        if count > bins.count * Self.share { addBin() }
    }

    /// What all of it takes, in bytes, with what an array and its place in memory add to each slab.
    var bytes: Int {
        slabs.count * (Self.slabSize * Self.pageSize * 6 + 2 * 48) + slabs.capacity * MemoryLayout<Slab>.stride
            + nextPages.capacity * 4 + bins.capacity * MemoryLayout<Bin>.stride
    }

    private func contains(_ digest: UInt64) -> Bool {
        let bin = bins[bin(of: digest)]
        let upper = UInt32(truncatingIfNeeded: digest >> 16)
        let lower = UInt16(truncatingIfNeeded: digest)
        var page = bin.firstPage
        var left = Int(bin.count)
        while left > 0 {
            let inPage = (left - 1) % Self.pageSize + 1
            let start = Int(page) % Self.slabSize * Self.pageSize
            let slab = slabs[Int(page) / Self.slabSize]
            for index in start..<start + inPage where slab.uppers[index] == upper && slab.lowers[index] == lower {
                return true
            }
            left -= inPage
            page = nextPages[Int(page)]
        }
        return false
    }

    private mutating func add(_ digest: UInt64) {
        let bin = bin(of: digest)
        let place = Int(bins[bin].count) % Self.pageSize
        if place == 0 {
            let page = takePage()
            nextPages[Int(page)] = bins[bin].firstPage
            bins[bin].firstPage = page
        }
        let page = Int(bins[bin].firstPage)
        let index = page % Self.slabSize * Self.pageSize + place
        slabs[page / Self.slabSize].uppers[index] = UInt32(truncatingIfNeeded: digest >> 16)
        slabs[page / Self.slabSize].lowers[index] = UInt16(truncatingIfNeeded: digest)
        bins[bin].count += 1
    }

    private mutating func takePage() -> UInt32 {
        if freePage == Self.noPage {
            let first = UInt32(slabs.count * Self.slabSize)
            slabs.append(Slab())
            for page in first..<first + UInt32(Self.slabSize) {
                nextPages.append(freePage)
                freePage = page
            }
        }
        defer { freePage = nextPages[Int(freePage)] }
        return freePage
    }

    /// The bin for `digest`: its last bits, one less if there is no such bin yet.
    private func bin(of digest: UInt64) -> Int {
        let top = Self.top(of: bins.count)
        let bin = Int(truncatingIfNeeded: digest) & (2 * top - 1)
        return bin < bins.count ? bin : bin - top
    }

    /// Adds a bin, and shares out anew what was in the one for the same digests but for one bit.
    private mutating func addBin() {
        let old = bins.count - Self.top(of: bins.count)
        let digests = takeAll(from: old)
        bins.append(Bin())
        for digest in digests { add(digest) }
    }

    private mutating func takeAll(from bin: Int) -> [UInt64] {
        var digests: [UInt64] = []
        digests.reserveCapacity(Int(bins[bin].count))
        while bins[bin].count > 0 {
            let page = Int(bins[bin].firstPage)
            let slab = slabs[page / Self.slabSize]
            let inPage = (bins[bin].count - 1) % UInt32(Self.pageSize) + 1
            let start = page % Self.slabSize * Self.pageSize
            for index in start..<start + Int(inPage) {
                digests.append(UInt64(slab.uppers[index]) << 16 | UInt64(slab.lowers[index]))
            }
            bins[bin].count -= inPage
            bins[bin].firstPage = nextPages[page]
            nextPages[page] = freePage
            freePage = UInt32(page)
        }
        return digests
    }

    /// The largest power of two that is at most `count`.
    private static func top(of count: Int) -> Int { 1 << (Int.bitWidth - 1 - count.leadingZeroBitCount) }

    /// Every one of its 48 bits depends on every bit of the identifier, be that random, a time or a count.
    private static func digest(of id: CallID) -> UInt64 {
        var digest = id.high
        digest = (digest ^ digest >> 32) &* 0x9E37_79B9_7F4A_7C15
        digest = (digest ^ digest >> 32) &+ id.low
        digest = (digest ^ digest >> 33) &* 0xFF51_AFD7_ED55_8CCD
        digest = (digest ^ digest >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return (digest ^ digest >> 33) >> 16
    }
}
