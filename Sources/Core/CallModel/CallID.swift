// The identity of a call: a UUID, chosen by the party that brings the call and never used twice.

/// A 128-bit call identifier (RFC 9562 text form, printed in lower case).
public struct CallID: Hashable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns a fresh version-4 identifier from `generator`.
    public static func random(using generator: inout some RandomNumberGenerator) -> CallID {
        let high = UInt64.random(in: .min ... .max, using: &generator)
        let low = UInt64.random(in: .min ... .max, using: &generator)
        return CallID(high: high & ~0xF000 | 0x4000, low: low & ~(0xC0 << 56) | (0x80 << 56))
    }

    /// Reads `8-4-4-4-12` hexadecimal digits in either case.
    public init?(_ text: some StringProtocol) { self.init(text, separator: "-") }

    /// Reads the last element of a call's object path, `8_4_4_4_12`.
    public init?(pathElement: some StringProtocol) { self.init(pathElement, separator: "_") }

    private init?(_ text: some StringProtocol, separator: Unicode.Scalar) {
        guard text.utf8.count == 36 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for (position, byte) in text.utf8.enumerated() {
            switch position {
            case 8, 13, 18, 23: guard Unicode.Scalar(byte) == separator else { return nil }
            default:
                guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
                (high, low) = (high << 4 | low >> 60, low << 4 | UInt64(digit))
            }
        }
        self.init(high: high, low: low)
    }

    /// The last element of this call's object path: the text form with `_` for `-`.
    public var pathElement: String { text(separator: "_") }

    private func text(separator: String) -> String {
        let parts = [
            Self.digits(high >> 32, 8), Self.digits(high >> 16 & 0xFFFF, 4), Self.digits(high & 0xFFFF, 4),
            Self.digits(low >> 48, 4), Self.digits(low & 0xFFFF_FFFF_FFFF, 12),
        ]
        return parts.joined(separator: separator)
    }

    private static func digits(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

extension CallID: CustomStringConvertible {
    public var description: String { text(separator: "-") }
}
