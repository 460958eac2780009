// Published values on the wire.

public import CallModel
public import DBus

extension PlainValue.Kind {
    /// The D-Bus type of such a value.
    public var signature: String {
        switch self {
        case .flag: "b"
        case .text: "s"
        case .words: "as"
        case .moment: "t"
        case .provider: "o"
        case .handle: "(ss)"
        case .translation, .quality: "a{sv}"
        }
    }
}

extension PlainValue {
    public var wire: Variant {
        switch self {
        case .flag(let flag): Variant(flag)
        case .text(let text): Variant(text)
        case .words(let words): Variant(words)
        case .moment(let moment): Variant(moment)
        case .provider(let provider): Variant(provider.map(ObjectPath.provider) ?? .root)
        case .handle(let handle): Variant(handle?.wire ?? Struct("", ""))
        case .translation(let translation): Variant(translation?.wire ?? [:])
        case .quality(let quality): Variant(quality?.wire ?? [:])
        }
    }

    /// - Returns: nil for a value of another type, a path that is not a provider's, and a handle of an unknown type.
    public init?(_ wire: Variant, _ kind: Kind) {
        switch kind {
        case .flag: self.init(Bool(inside: wire).map(PlainValue.flag))
        case .text: self.init(String(inside: wire).map(PlainValue.text))
        case .words: self.init([String](inside: wire).map(PlainValue.words))
        case .moment: self.init(UInt64(inside: wire).map(PlainValue.moment))
        case .provider: self.init(ObjectPath(inside: wire).flatMap(Self.read(provider:)))
        case .handle: self.init(Handle.Wire(inside: wire).flatMap(Self.read(handle:)))
        case .translation:
            self.init(VariantDictionary(inside: wire).map { PlainValue.translation(Translation(wire: $0)) })
        case .quality: self.init(VariantDictionary(inside: wire).flatMap(Self.read(quality:)))
        }
    }

    private init?(_ value: PlainValue?) {
        guard let value else { return nil }
        self = value
    }

    private static func read(provider path: ObjectPath) -> PlainValue? {
        path == .root ? .provider(nil) : Contract.provider(at: path.text).map { .provider($0) }
    }

    private static func read(handle wire: Handle.Wire) -> PlainValue? {
        wire.fields.1.isEmpty ? .handle(nil) : (try? Handle(wire: wire)).map { .handle($0) }
    }

    private static func read(quality wire: VariantDictionary) -> PlainValue? {
        wire.isEmpty ? .quality(nil) : (try? CallQuality(wire: wire)).map { .quality($0) }
    }
}

extension PublishedCall {
    /// Sets the properties that are there. Those of another type leave the call as it was.
    public mutating func update(_ properties: VariantDictionary) {
        for field in Self.fields {
            if let plain = properties[field.name].flatMap({ PlainValue($0, field.kind) }) { field.decode(&self, plain) }
        }
    }
}
