// Variant: a value that carries its type.

/// An entry of a dictionary inside a variant.
public struct VariantEntry: Hashable, Sendable {
    public var key: Variant
    public var value: Variant

    public init(_ key: Variant, _ value: Variant) {
        self.key = key
        self.value = value
    }
}

/// Any D-Bus value.
public enum Variant: Hashable, Sendable {
    case bool(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(ObjectPath)
    case signature(Signature)
    case descriptor(OwnedDescriptor)
    /// An array of bytes.
    case bytes([UInt8])
    /// An array of anything but bytes, with the signature of its elements.
    case array(Signature, [Variant])
    indirect case dictionary(key: Signature, value: Signature, [VariantEntry])
    case structure([Variant])
    indirect case variant(Variant)

    /// The signature of the value inside.
    public var signature: String {
        switch self {
        case .array(let element, _): "a\(element)"
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let fields): "(\(fields.map(\.signature).joined()))"
        default: simpleValue.map { type(of: $0).signature } ?? ""
        }
    }

    /// The value inside if it is of a basic type, bytes or a variant.
    var simpleValue: (any DBusType)? {
        switch self {
        case .bool(let value): value
        case .byte(let value): value
        case .int16(let value): value
        case .uint16(let value): value
        case .int32(let value): value
        case .uint32(let value): value
        case .int64(let value): value
        case .uint64(let value): value
        case .double(let value): value
        case .string(let value): value
        case .objectPath(let value): value
        case .signature(let value): value
        case .descriptor(let value): value
        case .bytes(let value): value
        case .variant(let value): value
        case .array, .dictionary, .structure: nil
        }
    }

    /// A variant around any value.
    public init(_ value: some DBusType) {
        self = value.inVariant
    }

    /// Returns the value inside, which must be of exactly this type.
    public func value<Value: DBusType>(as type: Value.Type = Value.self) throws(DBusError) -> Value {
        guard let value = Value(inside: self) else {
            throw DBusError(DBusError.Name.invalidArgs, "expected type \(Value.signature), found \(signature)")
        }
        return value
    }
}

extension Variant: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int32) { self = .int32(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
}
