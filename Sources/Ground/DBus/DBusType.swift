// DBusType: Swift types that travel.

/// A type with a D-Bus signature of exactly one complete type.
public protocol DBusType: Sendable {
    static var signature: String { get }
    func append(to writer: inout MessageWriter) throws(DBusError)
    init(from reader: inout MessageReader) throws(DBusError)
    /// Appends an array of this type.
    static func append(_ elements: [Self], to writer: inout MessageWriter) throws(DBusError)
    /// Reads an array of this type.
    static func elements(from reader: inout MessageReader) throws(DBusError) -> [Self]
    /// A variant around this value.
    var inVariant: Variant { get }
    /// The value inside a variant; nil if it is of another type.
    init?(inside variant: Variant)
}

extension DBusType {
    public static func append(_ elements: [Self], to writer: inout MessageWriter) throws(DBusError) {
        try writer.array(of: signature) { (writer) throws(DBusError) in
            for element in elements { try element.append(to: &writer) }
        }
    }

    public static func elements(from reader: inout MessageReader) throws(DBusError) -> [Self] {
        var elements: [Self] = []
        try reader.elements { (reader) throws(DBusError) in elements.append(try Self(from: &reader)) }
        return elements
    }
}

/// A type that may be the key of a dictionary.
public protocol DBusBasicType: DBusType, Hashable {
    /// Whether the entry of this key travels before that of the other, so that equal dictionaries make equal messages.
    func travelsBefore(_ other: Self) -> Bool
}

extension DBusBasicType {
    public init?(inside variant: Variant) {
        guard let value = variant.simpleValue as? Self else { return nil }
        self = value
    }
}

extension DBusBasicType where Self: Comparable {
    public func travelsBefore(_ other: Self) -> Bool { self < other }
}
