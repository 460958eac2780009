// StableKey: a short name for a device that does not tell which one it is.

/// A 64-bit FNV-1a hash. It hides the number of a device from those who do not know its other properties; it is no
/// protection against those who do.
enum StableKey {
    static func of(_ parts: String...) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in parts.joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
