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
        return read(separator) { text[text.index(text.startIndex, offsetBy: $0)] }?.call
    }

    /// - Parameter byte: that at a position of the 36.
    @inline(__always)
    private static func read(
        _ separator: UInt8, _ byte: (Int) -> UInt8
    ) -> (call: CallID, isLowerCase: Bool)? {
        var isLowerCase = true
        func word(_ first: Range<Int>, _ second: Range<Int> = 0..<0) -> UInt64? {
            var digits: UInt64 = 0
            for position in first { digits = digits &<< 8 | UInt64(byte(position)) }
            for position in second { digits = digits &<< 8 | UInt64(byte(position)) }
            if HexadecimalWord.hasCapitals(digits) { isLowerCase = false }
            return HexadecimalWord.value(of: digits).map(UInt64.init)
        }
        guard byte(8) == separator, byte(13) == separator, byte(18) == separator, byte(23) == separator,
            let first = word(0..<8), let second = word(9..<13, 14..<18), let third = word(19..<23, 24..<28),
            let fourth = word(28..<36)
        else { return nil }
        return (CallID(high: first &<< 32 | second, low: third &<< 32 | fourth), isLowerCase)
    }

    /// Reads the last element of a call's object path, `8_4_4_4_12`.
    public init?(pathElement: some StringProtocol) {
        self.init(pathElement, separator: UInt8(ascii: "_"))
    }

    /// The last element of this call's object path: the text form with `_` for `-`.
    public var pathElement: String { text(separator: UInt8(ascii: "_")) }

    private func text(separator: UInt8) -> String {
        let ascii = ascii(separator)
        return String(unsafeUninitializedCapacity: 36) { bytes in
            for position in 0..<36 { bytes[position] = ascii[position] }
            return 36
        }
    }

    private func ascii(_ separator: UInt8) -> InlineArray<36, UInt8> {
        var bytes = InlineArray<36, UInt8>(repeating: separator)
        func write(_ digits: UInt64, at position: Int, _ count: Int) {
            for index in 0..<count {
                bytes[position + index] = UInt8(truncatingIfNeeded: digits &>> (56 &- 8 &* index))
            }
        }
        func digits(_ word: UInt64) -> UInt64 { HexadecimalWord.digits(of: UInt32(truncatingIfNeeded: word)) }
        let (second, third) = (digits(high), digits(low &>> 32))
        write(digits(high &>> 32), at: 0, 8)
        write(second, at: 9, 4)
        write(second &<< 32, at: 14, 4)
        write(third, at: 19, 4)
        write(third &<< 32, at: 24, 4)
        write(digits(low), at: 28, 8)
        return bytes
    }

    // MARK: the text form as bytes, for those who need no text

    /// The bytes of `description`.
    public var ascii: InlineArray<36, UInt8> { ascii(UInt8(ascii: "-")) }

    /// Nil for bytes that are the `ascii` of no identifier, such as digits in upper case.
    public init?(ascii: InlineArray<36, UInt8>) {
        guard let (call, isLowerCase) = Self.read(UInt8(ascii: "-"), { ascii[$0] }), isLowerCase else { return nil }
        self = call
    }
}

extension CallID: CustomStringConvertible {
    public var description: String { text(separator: UInt8(ascii: "-")) }
}
