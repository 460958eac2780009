// WallTime: a date, by the clock that people read.

/// A moment on the wall clock, which may be set to any other at any time: it dates things, and nothing is decided, awaited or
/// measured by it but schedules. The compiler tells it from a moment of uptime.
///
/// 0 stands for none; where a date may be left out, for now.
public struct WallTime: Comparable, Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// Since the epoch.
    public var microseconds: UInt64

    /// The last date.
    public static let max = WallTime(microseconds: .max)

    public init(microseconds: UInt64) { self.microseconds = microseconds }
    public init(integerLiteral value: UInt64) { microseconds = value }

    /// The µs since another date; 0 if that is later.
    public func span(since earlier: WallTime) -> UInt64 { microseconds - Swift.min(microseconds, earlier.microseconds) }

    public static func < (left: WallTime, right: WallTime) -> Bool { left.microseconds < right.microseconds }

    /// The date so many µs later; the last one if there is none.
    public static func + (left: WallTime, span: UInt64) -> WallTime {
        let (sum, isTooLate) = left.microseconds.addingReportingOverflow(span)
        return WallTime(microseconds: isTooLate ? .max : sum)
    }

    public static func += (left: inout WallTime, span: UInt64) { left = left + span }
}

extension WallTime: CustomStringConvertible {
    /// The µs, as they are written down.
    public var description: String { "\(microseconds)" }
}

extension WallTime: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(microseconds: try decoder.singleValueContainer().decode(UInt64.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}
