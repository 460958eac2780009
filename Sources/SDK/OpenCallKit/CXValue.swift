// CXValue: a value in the arguments or the result of a custom action.

package import DBus

/// A value in the arguments or the result of a custom action. Not in CallKit.
public indirect enum CXValue: Sendable, Hashable, Codable {
    /// True or false.
    case bool(Bool)
    /// An integer of any width.
    case integer(Int64)
    /// An integer beyond the range of `integer`.
    case unsigned(UInt64)
    /// A floating-point number.
    case double(Double)
    /// Text; an object path arrives as text too.
    case string(String)
    /// Bytes.
    case data([UInt8])
    /// A list; a structure, such as a handle's type and value, arrives as a list too.
    case array([CXValue])
    /// Values by key. Keys that are not text arrive as text.
    case dictionary([String: CXValue])

    /// The Boolean value; nil for another type.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The integer; nil for another type, and for `unsigned`.
    public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The floating-point number; nil for another type, and for integers.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The text; nil for another type.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The list; nil for another type.
    public var arrayValue: [CXValue]? { if case .array(let value) = self { value } else { nil } }
    /// The dictionary; nil for another type.
    public var dictionaryValue: [String: CXValue]? { if case .dictionary(let value) = self { value } else { nil } }
}

extension CXValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
}

extension CXValue {
    package init(_ variant: Variant) {
        switch variant {
        case .bool(let value): self = .bool(value)
        case .byte(let value): self = .integer(Int64(value))
        case .int16(let value): self = .integer(Int64(value))
        case .uint16(let value): self = .integer(Int64(value))
        case .int32(let value): self = .integer(Int64(value))
        case .uint32(let value): self = .integer(Int64(value))
        case .int64(let value): self = .integer(value)
        case .uint64(let value): self = Int64(exactly: value).map(CXValue.integer) ?? .unsigned(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .objectPath(let value): self = .string(value.text)
        case .signature(let value): self = .string(value.text)
        case .descriptor: self = .string("")
        case .bytes(let value): self = .data(value)
        case .array(_, let values), .structure(let values): self = .array(values.map(CXValue.init))
        case .dictionary(_, _, let entries): self = .dictionary(CXValue.members(of: entries))
        case .variant(let value): self = CXValue(value)
        }
    }

    /// Returns the entries as a dictionary, with all keys as text.
    private static func members(of entries: [VariantEntry]) -> [String: CXValue] {
        var members: [String: CXValue] = [:]
        for entry in entries {
            switch CXValue(entry.key) {
            case .string(let key): members[key] = CXValue(entry.value)
            case .integer(let key): members[String(key)] = CXValue(entry.value)
            case .unsigned(let key): members[String(key)] = CXValue(entry.value)
            case .bool(let key): members[String(key)] = CXValue(entry.value)
            case .double(let key): members[String(key)] = CXValue(entry.value)
            case .data, .array, .dictionary: break
            }
        }
        return members
    }

    package var variant: Variant {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .int64(value)
        case .unsigned(let value): .uint64(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .bytes(value)
        case .array(let values): Variant(values.map(\.variant))
        case .dictionary(let members): Variant(members.mapValues(\.variant))
        }
    }
}
