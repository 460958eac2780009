// A handle on the wire: (ss), its type's name and its value.

public import CallModel
public import DBus

extension Handle {
    public typealias Wire = Struct<String, String>

    /// - Throws: `InvalidArguments` for an unknown type, and for a value that `init(type:value:)` refuses.
    public init(wire: Wire) throws(CallError) {
        let (type, value) = wire.fields
        try self.init(type: VariantDictionary.word(type, of: "handle type"), value: value)
    }

    /// Reads a handle that must be there; one with an empty value is nil.
    static func needed(in wire: VariantDictionary, _ key: String) throws(CallError) -> Handle? {
        let _: Wire = try wire.needed(key)
        return try optional(in: wire, key)
    }

    /// Reads an optional handle. One with an empty value is withheld, which is nil, too.
    static func optional(in wire: VariantDictionary, _ key: String) throws(CallError) -> Handle? {
        guard let handle = try wire.optional(key, as: Wire.self) else { return nil }
        let (type, value) = handle.fields
        guard !value.isEmpty else {
            let _: HandleType? = type.isEmpty ? nil : try VariantDictionary.word(type, of: "handle type")
            return nil
        }
        do throws(CallError) {
            return try Handle(wire: handle)
        } catch {
            throw CallError(error.code, "\(key): \(error.message)")
        }
    }

    /// The handle as it is sent.
    public var wire: Wire { Struct(type.rawValue, value) }
}

extension VariantDictionary {
    /// Returns whom to call: a handle, or a text as people write it.
    ///
    /// - Throws: `InvalidArguments` if it is missing or neither; as `DialString`.
    func dialed(_ key: String) throws(CallError) -> DialString {
        if case .string(let text)? = self[key] { return try DialString(parsing: text) }
        return try DialString(typed: Handle(wire: needed(key)))
    }
}
