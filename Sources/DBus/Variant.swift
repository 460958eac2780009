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

/// Any D-Bus value. Descriptors are not carried.
public indirect enum Variant: Hashable, Sendable {
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
    /// An array of bytes.
    case bytes([UInt8])
    /// An array of anything but bytes, with the signature of its elements.
    case array(Signature, [Variant])
    case dictionary(key: Signature, value: Signature, [VariantEntry])
    case structure([Variant])
    case variant(Variant)

    /// The signature of the value inside.
    public var signature: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(let element, _): "a\(element)"
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .structure(let fields): "(\(fields.map(\.signature).joined()))"
        case .variant: "v"
        }
    }

    /// The value inside if it is of a basic type, or bytes.
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
        case .bytes(let value): value
        case .variant(let value): value
        case .array, .dictionary, .structure: nil
        }
    }

    /// A variant around any value. What cannot travel (text with a NUL) becomes an empty text.
    public init(_ value: some DBusType) {
        switch value {
        case let value as Bool: self = .bool(value)
        case let value as UInt8: self = .byte(value)
        case let value as Int16: self = .int16(value)
        case let value as UInt16: self = .uint16(value)
        case let value as Int32: self = .int32(value)
        case let value as UInt32: self = .uint32(value)
        case let value as Int64: self = .int64(value)
        case let value as UInt64: self = .uint64(value)
        case let value as Double: self = .double(value)
        case let value as String: self = .string(value)
        case let value as ObjectPath: self = .objectPath(value)
        case let value as Signature: self = .signature(value)
        case let value as [UInt8]: self = .bytes(value)
        case let value as Variant: self = .variant(value)
        default: self = (try? Scratch.convert(Boxed(value), to: Variant.self)) ?? .string("")
        }
    }

    /// The value inside, which must be of exactly this type.
    public func value<Value: DBusType>(as type: Value.Type = Value.self) throws(DBusError) -> Value {
        if let value = simpleValue {
            if let value = value as? Value { return value }
        } else if signature == Value.signature {
            return try Scratch.convert(self, to: Boxed<Value>.self).value
        }
        throw DBusError(DBusError.Name.invalidArgs, "expected type \(Value.signature), found \(signature)")
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
