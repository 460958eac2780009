// Dates in messages: the µs since the epoch.

public import CallModel
public import DBus

extension WallTime: DBusType {
    public static var signature: String { UInt64.signature }

    public func append(to writer: inout MessageWriter) throws(DBusError) { try microseconds.append(to: &writer) }

    public init(from reader: inout MessageReader) throws(DBusError) {
        self.init(microseconds: try UInt64(from: &reader))
    }

    public var inVariant: Variant { microseconds.inVariant }

    public init?(inside variant: Variant) {
        guard let microseconds = UInt64(inside: variant) else { return nil }
        self.init(microseconds: microseconds)
    }
}
