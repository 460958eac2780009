// Published values on the wire.

public import CallModel
public import DBus

extension PlainValue.Kind {
    /// The D-Bus type of such a value.
    public var signature: String {
        switch self {
        case .flag: Bool.signature
        case .number: UInt32.signature
        case .text: String.signature
        case .words: [String].signature
        case .moment: UInt64.signature
        case .call, .provider, .plugin: ObjectPath.signature
        case .handle: Handle.Wire.signature
        case .translation, .quality: VariantDictionary.signature
        case .customActions: [VariantDictionary].signature
        }
    }
}

extension PlainValue {
    public var wire: Variant {
        switch self {
        case .flag(let flag): Variant(flag)
        case .number(let number): Variant(number)
        case .text(let text): Variant(text)
        case .words(let words): Variant(words)
        case .moment(let moment): Variant(moment)
        case .call(let call): Variant(Self.path(of: call))
        case .provider(let provider): Variant(Self.path(of: provider))
        case .plugin(let plugin): Variant(Self.path(ofPlugin: plugin))
        case .handle(let handle): Variant(Self.wire(of: handle))
        case .translation(let translation): Variant(translation?.wire ?? [:])
        case .quality(let quality): Variant(quality?.wire ?? [:])
        case .customActions(let actions): Variant(actions.map(\.wire))
        }
    }

    /// Appends the value as a variant.
    public func append(to writer: inout MessageWriter) throws(DBusError) {
        switch self {
        case .flag(let flag): try writer.variant(flag)
        case .number(let number): try writer.variant(number)
        case .text(let text): try writer.variant(text)
        case .words(let words): try writer.variant(words)
        case .moment(let moment): try writer.variant(moment)
        case .call(let call): try writer.variant(Self.path(of: call))
        case .provider(let provider): try writer.variant(Self.path(of: provider))
        case .plugin(let plugin): try writer.variant(Self.path(ofPlugin: plugin))
        case .handle(let handle): try writer.variant(Self.wire(of: handle))
        case .translation(let translation): try writer.variant(translation?.wire ?? [:])
        case .quality(let quality): try writer.variant(quality?.wire ?? [:])
        case .customActions(let actions): try writer.variant(actions.map(\.wire))
        }
    }

    private static func path(of call: CallID?) -> ObjectPath { call.map(ObjectPath.call) ?? .root }
    private static func path(of provider: ProviderID?) -> ObjectPath { provider.map(ObjectPath.provider) ?? .root }
    private static func path(ofPlugin id: String?) -> ObjectPath { id.map(ObjectPath.plugin) ?? .root }
    private static func wire(of handle: Handle?) -> Handle.Wire { handle?.wire ?? Struct("", "") }

    /// - Returns: nil for a value of another type, a path of an object of another kind, and a handle of an unknown type.
    public init?(_ wire: Variant, _ kind: Kind) {
        switch kind {
        case .flag: self.init(Bool(inside: wire).map(PlainValue.flag))
        case .number: self.init(UInt32(inside: wire).map(PlainValue.number))
        case .text: self.init(String(inside: wire).map(PlainValue.text))
        case .words: self.init([String](inside: wire).map(PlainValue.words))
        case .moment: self.init(UInt64(inside: wire).map(PlainValue.moment))
        case .call: self.init(ObjectPath(inside: wire).flatMap(Self.read(call:)))
        case .provider: self.init(ObjectPath(inside: wire).flatMap(Self.read(provider:)))
        case .plugin: self.init(ObjectPath(inside: wire).flatMap(Self.read(plugin:)))
        case .handle: self.init(Handle.Wire(inside: wire).flatMap(Self.read(handle:)))
        case .translation:
            self.init(VariantDictionary(inside: wire).map { PlainValue.translation(Translation(wire: $0)) })
        case .quality: self.init(VariantDictionary(inside: wire).flatMap(Self.read(quality:)))
        case .customActions:
            self.init([VariantDictionary](inside: wire).map { .customActions($0.map(CustomAction.init(published:))) })
        }
    }

    private init?(_ value: PlainValue?) {
        guard let value else { return nil }
        self = value
    }

    private static func read(call path: ObjectPath) -> PlainValue? {
        path == .root ? .call(nil) : Contract.call(at: path.text).map { .call($0) }
    }

    private static func read(provider path: ObjectPath) -> PlainValue? {
        path == .root ? .provider(nil) : Contract.provider(at: path.text).map { .provider($0) }
    }

    private static func read(plugin path: ObjectPath) -> PlainValue? {
        path == .root ? .plugin(nil) : Contract.plugin(at: path.text).map { .plugin($0) }
    }

    private static func read(handle wire: Handle.Wire) -> PlainValue? {
        wire.fields.1.isEmpty ? .handle(nil) : (try? Handle(wire: wire)).map { .handle($0) }
    }

    private static func read(quality wire: VariantDictionary) -> PlainValue? {
        wire.isEmpty ? .quality(nil) : (try? CallQuality(wire: wire)).map { .quality($0) }
    }
}

extension Published {
    /// Sets the properties that are there. Those of another type leave the object as it was.
    public mutating func update(_ properties: VariantDictionary) {
        for field in Self.fields {
            if let plain = properties[field.name].flatMap({ PlainValue($0, field.kind) }) { field.decode(&self, plain) }
        }
    }

    /// The properties of which these are told.
    public func wire(for audience: PropertyAudience) -> VariantDictionary {
        var wire = VariantDictionary()
        for field in Self.fields where field.audience == audience { wire[field.name] = field.encode(self).wire }
        return wire
    }
}
