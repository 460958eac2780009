// ServiceAnswer as the a{sv} of SendServiceCode and ReplyToServiceCode.

public import CallModel
public import DBus

extension ServiceAnswer {
    /// The keys that the contract has.
    public static let keys: Set<String> = [Key.text, Key.asks]

    private enum Key {
        static let text = "text"
        static let asks = "asks"
    }

    /// Makes the text of a network safe to show, line by line, and cuts it. Without keys the network has said nothing.
    ///
    /// - Throws: `InvalidArguments` for a key of the wrong type.
    public init(wire: VariantDictionary) throws(CallError) {
        let text: String = try wire.optional(Key.text) ?? ""
        self.init(text.safeLines(at: Self.maximumLength), asks: try wire.optional(Key.asks) ?? false)
    }

    /// Every key.
    public var wire: VariantDictionary { [Key.text: .string(text.withoutNUL), Key.asks: .bool(asks)] }
}
