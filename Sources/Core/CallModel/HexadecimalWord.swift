// Hexadecimal digits, eight at a time: the bytes of a word are worked on side by side.

/// 32 bits, and their eight digits as ASCII in one word, the first digit in the highest byte.
enum HexadecimalWord {
    private static let eachByte: UInt64 = 0x0101_0101_0101_0101
    private static let highBits = eachByte &* 0x80

    /// The digits of `value`, in lower case.
    static func digits(of value: UInt32) -> UInt64 {
        var digits = UInt64(value)
        digits = (digits &<< 16 | digits) & 0x0000_FFFF_0000_FFFF
        digits = (digits &<< 8 | digits) & 0x00FF_00FF_00FF_00FF
        digits = (digits &<< 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (digits &+ eachByte &* 6) &>> 4 & eachByte
        return digits &+ eachByte &* UInt64(UInt8(ascii: "0"))
            &+ isLetter &* UInt64(UInt8(ascii: "a") - 10 - UInt8(ascii: "0"))
    }

    /// What eight digits in either case stand for; nil if there is another character among them.
    static func value(of digits: UInt64) -> UInt32? {
        guard digits & highBits == 0 else { return nil }
        let lowered = digits | eachByte &* 0x20
        let isLetter = bytes(of: lowered, atLeast: UInt8(ascii: "a")) & ~bytes(of: lowered, atLeast: UInt8(ascii: "g"))
        let isNumeral = bytes(of: digits, atLeast: UInt8(ascii: "0")) & ~bytes(of: digits, atLeast: UInt8(ascii: ":"))
        guard isLetter | isNumeral == highBits else { return nil }
        var value = (digits & (eachByte &* 0xF)) &+ (isLetter &>> 7) &* 9
        value = (value &>> 4 | value) & 0x00FF_00FF_00FF_00FF
        value = (value &>> 8 | value) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: value &>> 16 | value)
    }

    /// Whether a digit among them is written in upper case.
    static func hasCapitals(_ digits: UInt64) -> Bool {
        digits &>> 1 & ~digits & (eachByte &* 0x20) != 0
    }

    /// The highest bit of each byte that is not below `limit`, of bytes that are ASCII.
    private static func bytes(of word: UInt64, atLeast limit: UInt8) -> UInt64 {
        (word &+ eachByte &* UInt64(0x80 - limit)) & highBits
    }
}
