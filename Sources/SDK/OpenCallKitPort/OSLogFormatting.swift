// How numbers and Booleans are written in a message.

/// How an integer is written (os: OSLogIntegerFormatting).
public struct OSLogIntegerFormatting: Sendable {
    private let radix: Int
    private var prefix = ""
    private var uppercase = false

    /// In decimal digits. The default.
    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 10) }
    /// In hexadecimal digits.
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 16) }
    /// In octal digits.
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(radix: 8) }

    /// In hexadecimal digits.
    /// - Parameters:
    ///   - includePrefix: whether `0x` stands before the digits.
    ///   - uppercase: whether the digits are capital letters.
    public static func hex(includePrefix: Bool = false, uppercase: Bool = false) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(radix: 16, prefix: includePrefix ? "0x" : "", uppercase: uppercase)
    }

    func text(of number: some FixedWidthInteger) -> String {
        let sign = number < 0 ? "-" : ""
        return sign + prefix + String(number.magnitude, radix: radix, uppercase: uppercase)
    }
}

/// How a floating-point number is written (os: OSLogFloatFormatting).
public struct OSLogFloatFormatting: Sendable {
    private let precision: Int

    /// With six digits after the point. The default.
    public static var fixed: OSLogFloatFormatting { fixed(precision: 6) }

    /// With a number of digits after the point, 0 to 100.
    public static func fixed(precision: Int) -> OSLogFloatFormatting {
        OSLogFloatFormatting(precision: min(max(precision, 0), 100))
    }

    func text(of number: Double) -> String { String(format: "%.*f", precision, number) }
}

/// How a Boolean is written (os: OSLogBoolFormat).
public enum OSLogBoolFormat: Sendable {
    /// As `true` or `false`. The default.
    case truth
    /// As `yes` or `no`.
    case answer

    func text(of value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "yes" : "no"
        }
    }
}
