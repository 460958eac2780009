// OSLogMessage: a message with interpolated values, of which private ones are redacted.

/// A message for a ``Logger`` (os: OSLogMessage). Write it as a string with values: `"call to \(number) failed"`. A value
/// is redacted unless it is a number, a Boolean or marked as public.
public struct OSLogMessage: ExpressibleByStringInterpolation {
    let text: String

    /// Creates a message without values.
    public init(stringLiteral value: String) { text = value }

    /// Creates a message from its parts.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// The parts of a message (os: OSLogInterpolation).
public struct OSLogInterpolation: StringInterpolationProtocol {
    private(set) var text = ""

    /// Creates an empty message.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Appends the text between two values.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a string, which is private by default.
    public mutating func appendInterpolation(_ value: String, privacy: OSLogPrivacy = .auto) {
        text += privacy.shown(value, isPublic: false)
    }

    /// Appends a value, which is private by default.
    public mutating func appendInterpolation<Value: CustomStringConvertible>(
        _ value: Value, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.shown(value.description, isPublic: false)
    }

    /// Appends an error, which is private by default.
    public mutating func appendInterpolation(_ error: any Error, privacy: OSLogPrivacy = .auto) {
        text += privacy.shown("\(error)", isPublic: false)
    }

    /// Appends the name of a type, which is public by default.
    public mutating func appendInterpolation(_ type: any Any.Type, privacy: OSLogPrivacy = .auto) {
        text += privacy.shown("\(type)", isPublic: true)
    }

    /// Appends an integer in decimal digits, which is public by default.
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: Number, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.shown(number.description, isPublic: true)
    }

    /// Appends an integer, which is public by default.
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: Number, format: OSLogIntegerFormatting, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.shown(format.text(of: number), isPublic: true)
    }

    /// Appends a number, which is public by default.
    public mutating func appendInterpolation(
        _ number: Double, format: OSLogFloatFormatting = .fixed, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.shown(format.text(of: number), isPublic: true)
    }

    /// Appends a number, which is public by default.
    public mutating func appendInterpolation(
        _ number: Float, format: OSLogFloatFormatting = .fixed, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.shown(format.text(of: Double(number)), isPublic: true)
    }

    /// Appends a Boolean, which is public by default.
    public mutating func appendInterpolation(
        _ value: Bool, format: OSLogBoolFormat = .truth, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.shown(format.text(of: value), isPublic: true)
    }
}
