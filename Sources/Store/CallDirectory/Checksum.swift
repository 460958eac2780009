// Checksum: the checksum of a compiled directory.

/// A checksum of words in order. It finds any change of a single word, and other changes but for one in 2⁶⁴. It protects
/// against failing disks, not against attacks.
struct Checksum {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    @inline(__always)
    mutating func add(_ word: UInt64) {
        state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
        state ^= state >> 32
    }

    var value: UInt64 { state }
}
