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

    public var wire: Wire { Struct(type.rawValue, value) }
}
