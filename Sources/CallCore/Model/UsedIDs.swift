// The memory of every call identifier ever seen, eleven to twenty-two bytes each.

import CallModel

/// Remembers identifiers by a 64-bit digest. A false "seen before" has odds of one in 10¹³ at a million calls, and costs
/// a refusal; a used identifier is never taken for new.
struct UsedIDs: Sendable {
    /// Open addressing, at most three quarters full; 0 is a gap.
    private var digests: [UInt64] = []
    private var count = 0

    func contains(_ id: CallID) -> Bool {
        !digests.isEmpty && digests[position(of: Self.digest(of: id))] != 0
    }

    mutating func insert(_ id: CallID) {
        if (count + 1) * 4 > digests.count * 3 { grow() }
        let digest = Self.digest(of: id)
        let position = position(of: digest)
        guard digests[position] == 0 else { return }
        digests[position] = digest
        count += 1
    }

    private mutating func grow() {
        let old = digests
        digests = Array(repeating: 0, count: max(64, old.count * 2))
        for digest in old where digest != 0 { digests[position(of: digest)] = digest }
    }

    private static func digest(of id: CallID) -> UInt64 {
        let digest = id.high &* 0x9E37_79B9_7F4A_7C15 ^ id.low ^ 0x5851_F42D_4C95_7F2D
        return digest == 0 ? 1 : digest
    }

    /// Where a digest is, or else the gap where it belongs.
    private func position(of digest: UInt64) -> Int {
        let mask = digests.count - 1
        var position = Int(truncatingIfNeeded: (digest &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
        while digests[position] != 0, digests[position] != digest { position = (position + 1) & mask }
        return position
    }
}
