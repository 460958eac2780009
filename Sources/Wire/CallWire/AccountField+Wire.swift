// Fields and settings of accounts as they travel.

public import CallModel
public import DBus

extension AccountValue {
    public var variant: Variant {
        switch self {
        case .string(let text): .string(text)
        case .boolean(let flag): .bool(flag)
        case .number(let number): .uint32(number)
        }
    }

    /// Nil for a type that no setting has.
    public init?(_ variant: Variant) {
        switch variant {
        case .string(let text): self = .string(text)
        case .bool(let flag): self = .boolean(flag)
        case .uint32(let number): self = .number(number)
        default: return nil
        }
    }

    /// - Throws: `InvalidArguments` naming a key whose value has a type that no setting has.
    public static func settings(wire: VariantDictionary) throws(CallError) -> [String: AccountValue] {
        var settings: [String: AccountValue] = [:]
        for (key, value) in wire {
            guard let setting = AccountValue(value) else {
                throw CallError(
                    .invalidArguments,
                    "the field \(key.excerpt) has the type \(value.signature), expected s, b or u")
            }
            settings[key] = setting
        }
        return settings
    }
}

extension AccountField {
    /// An entry of Schema.
    public var wire: VariantDictionary {
        var wire: VariantDictionary = [
            "key": .string(key), "type": .string(kind.rawValue), "label": .string(label),
            "required": .bool(isRequired), "reconnect": .bool(needsReconnect),
        ]
        if let standard { wire["default"] = standard.variant }
        if !values.isEmpty { wire.set("values", values) }
        if kind == .number, minimum > 0 || maximum < .max {
            wire.set("minimum", minimum)
            wire.set("maximum", maximum)
        }
        return wire
    }
}
