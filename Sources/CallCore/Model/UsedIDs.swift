// The memory of every call identifier ever seen, eight bytes each.

import CallModel

/// Remembers identifiers by a 64-bit digest. A false "seen before" has odds of one in 10¹³ at a million calls, and costs
/// a refusal; a used identifier is never taken for new.
struct UsedIDs: Sendable {
    private var digests: [UInt64] = []

    func contains(_ id: CallID) -> Bool {
        let digest = Self.digest(of: id)
        let index = position(of: digest)
        return index < digests.count && digests[index] == digest
    }

    mutating func insert(_ id: CallID) {
        guard !contains(id) else { return }
        let digest = Self.digest(of: id)
        digests.insert(digest, at: position(of: digest))
    }

    private static func digest(of id: CallID) -> UInt64 { id.high &* 0x9E37_79B9_7F4A_7C15 ^ id.low }

    private func position(of digest: UInt64) -> Int {
        var low = 0
        var high = digests.count
        while low < high {
            let middle = (low + high) / 2
            if digests[middle] < digest { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
