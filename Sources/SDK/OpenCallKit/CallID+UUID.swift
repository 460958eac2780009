// Call identifiers and dates: the app's types and those of the wire.

package import CallModel

extension CallID {
    package init(_ uuid: UUID) {
        let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid.uuid
        self.init(high: Self.word([a, b, c, d, e, f, g, h]), low: Self.word([i, j, k, l, m, n, o, p]))
    }

    private static func word(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

extension UUID {
    package init(_ call: CallID) {
        func byte(_ index: Int) -> UInt8 {
            let word = index < 8 ? call.high : call.low
            return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
        }
        self.init(
            uuid: (
                byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7),
                byte(8), byte(9), byte(10), byte(11), byte(12), byte(13), byte(14), byte(15)
            ))
    }
}

extension Date {
    package init(wire: WallTime) { self.init(timeIntervalSince1970: Double(wire.microseconds) / 1_000_000) }

    /// 0, which stands for now, for a date before the epoch.
    package var wire: WallTime {
        let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
        return WallTime(microseconds: microseconds > 0 ? UInt64(exactly: microseconds) ?? 0 : 0)
    }
}
