// SeededGenerator: random values that can be had again.

internal import Glibc

/// The same numbers for the same seed, on every machine: SplitMix64.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// - Parameter seed: Without one, it is that of `OPENCALLKIT_SEED`, or 1.
    public init(seed: UInt64? = nil) {
        state = seed ?? getenv("OPENCALLKIT_SEED").flatMap { UInt64(String(cString: $0)) } ?? 1
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
