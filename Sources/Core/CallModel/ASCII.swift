// Letters and digits of ASCII, of which many names consist.

extension UInt8 {
    /// Whether this is the ASCII code of a digit.
    public var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// Whether this is the ASCII code of a letter or a digit.
    public var isASCIIAlphanumeric: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self || isASCIIDigit
    }
}
