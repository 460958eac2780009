// The checksum of a compiled directory.

/// Takes words in order. Every step can be undone, so that no change of a single word goes unseen, and all others but one
/// in 2⁶⁴ by chance. It guards against disks, not against people.
struct Checksum {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    @inline(__always)
    mutating func add(_ word: UInt64) {
        state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
        state ^= state >> 32
    }

    var value: UInt64 { state }
}
