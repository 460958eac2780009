// The identity of a call: a UUID, chosen by whoever brings the call, never used twice.

/// A 128-bit call identifier (RFC 9562 text form, printed in lower case).
public struct CallID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A fresh version-4 identifier from `generator`.
    public static func random(using generator: inout some RandomNumberGenerator) -> CallID {
        let high = UInt64.random(in: .min ... .max, using: &generator)
        let low = UInt64.random(in: .min ... .max, using: &generator)
        return CallID(high: high & ~0xF000 | 0x4000, low: low & ~(0xC0 << 56) | (0x80 << 56))
    }

    /// Reads `8-4-4-4-12` hexadecimal digits in either case; `separator` is `-` in text and `_` in object paths.
    public init?(_ text: some StringProtocol, separator: UInt8 = UInt8(ascii: "-")) {
        // The bytes lie in a row in nearly every text, and are read several times as fast there.
        let call = text.utf8.withContiguousStorageIfAvailable { Self.read($0, separator) }
        guard let call = call ?? Self.read(Array(text.utf8), separator) else { return nil }
        self = call
    }

    private static func read(_ text: some RandomAccessCollection<UInt8>, _ separator: UInt8) -> CallID? {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        var position = 0
        for byte in text {
            defer { position += 1 }
            if position == 8 || position == 13 || position == 18 || position == 23 {
                guard byte == separator else { return nil }
                continue
            }
            guard digits < 32, let value = Self.hexadecimalValue(byte) else { return nil }
            if digits < 16 { words.0 = words.0 << 4 | value } else { words.1 = words.1 << 4 | value }
            digits += 1
        }
        return digits == 32 ? CallID(high: words.0, low: words.1) : nil
    }

    /// Reads the last element of a call's object path, `8_4_4_4_12`.
    public init?(pathElement: some StringProtocol) {
        self.init(pathElement, separator: UInt8(ascii: "_"))
    }

    /// The last element of this call's object path: the text form with `_` for `-`.
    public var pathElement: String { text(separator: UInt8(ascii: "_")) }

    private static func hexadecimalValue(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private func text(separator: UInt8) -> String {
        String(unsafeUninitializedCapacity: 36) { bytes in
            var position = 0
            for index in 0..<32 {
                if index == 8 || index == 12 || index == 16 || index == 20 {
                    bytes[position] = separator
                    position += 1
                }
                let word = index < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: word &>> UInt64(60 &- 4 &* (index & 15))) & 0xF
                bytes[position] = digit &+ (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") &- 10)
                position += 1
            }
            return position
        }
    }
}

extension CallID: CustomStringConvertible {
    public var description: String { text(separator: UInt8(ascii: "-")) }
}
