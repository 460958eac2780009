// Field: one property of a published object, as a line of a table.

/// An object whose properties the daemon publishes.
public protocol Published: Sendable {
    /// A line for each property.
    static var fields: [Field<Self>] { get }
}

/// Who is told of a property.
public enum PropertyAudience: Sendable, Hashable {
    case everybody
    /// Clients that may know people. They are told that the value has changed, and read it.
    case trusted
}

/// One property of a published object.
public struct Field<Object: Sendable>: Sendable {
    public let name: String
    /// What transcripts call it; nil if they leave it out.
    public let word: String?
    public let kind: PlainValue.Kind
    public let audience: PropertyAudience
    /// Whether an object has one value for as long as it is there.
    public private(set) var isConstant = false
    public let encode: @Sendable (borrowing Object) -> PlainValue
    /// Sets the property. A value of another kind, and a word of a newer version, leave it as it was.
    public let decode: @Sendable (inout Object, PlainValue) -> Void
    public let differs: @Sendable (borrowing Object, borrowing Object) -> Bool

    private init<Value: Sendable & Equatable>(
        _ name: String, _ word: String?, _ kind: PlainValue.Kind, _ audience: PropertyAudience,
        _ get: @escaping Get<Value>, _ set: @escaping Set<Value>, to wrap: @escaping @Sendable (Value) -> PlainValue,
        from unwrap: @escaping @Sendable (PlainValue) -> Value?
    ) {
        (self.name, self.word, self.kind, self.audience) = (name, word, kind, audience)
        encode = { wrap(get($0)) }
        decode = { object, plain in
            if let value = unwrap(plain) { set(&object, value) }
        }
        differs = { get($0) != get($1) }
    }

    public typealias Get<Value> = @Sendable (borrowing Object) -> Value
    public typealias Set<Value> = @Sendable (inout Object, Value) -> Void

    /// The same property, with one value for as long as its object is there.
    var constant: Field {
        var field = self
        field.isConstant = true
        return field
    }
}

extension Field {
    static func flag(
        _ name: String, as word: String? = nil, _ get: @escaping Get<Bool>, _ set: @escaping Set<Bool>
    ) -> Field {
        Field(name, word, .flag, .everybody, get, set, to: { .flag($0) }) {
            if case .flag(let flag) = $0 { flag } else { nil }
        }
    }

    static func number(_ name: String, _ get: @escaping Get<UInt32>, _ set: @escaping Set<UInt32>) -> Field {
        Field(name, nil, .number, .everybody, get, set, to: { .number($0) }) {
            if case .number(let number) = $0 { number } else { nil }
        }
    }

    static func text(
        _ name: String, as word: String? = nil, for audience: PropertyAudience = .everybody,
        _ get: @escaping Get<String>, _ set: @escaping Set<String>
    ) -> Field {
        Field(name, word, .text, audience, get, set, to: { .text($0) }) {
            if case .text(let text) = $0 { text } else { nil }
        }
    }

    static func moment(_ name: String, _ get: @escaping Get<UInt64>, _ set: @escaping Set<UInt64>) -> Field {
        Field(name, nil, .moment, .everybody, get, set, to: { .moment($0) }) {
            if case .moment(let moment) = $0 { moment } else { nil }
        }
    }

    /// A date.
    static func date(_ name: String, _ get: @escaping Get<WallTime>, _ set: @escaping Set<WallTime>) -> Field {
        moment(name, { get($0).microseconds }, { set(&$0, WallTime(microseconds: $1)) })
    }

    /// A word that is always there.
    static func word<Word: RawRepresentable & Sendable & Equatable>(
        _ name: String, as word: String? = nil, for audience: PropertyAudience = .everybody,
        _ get: @escaping Get<Word>, _ set: @escaping Set<Word>
    ) -> Field where Word.RawValue == String {
        Field(name, word, .text, audience, get, set, to: { .text($0.rawValue) }) {
            if case .text(let text) = $0 { Word(rawValue: text) } else { nil }
        }
    }

    /// A word, or an empty text for none.
    static func optionalWord<Word: RawRepresentable & Sendable & Equatable>(
        _ name: String, as word: String? = nil, for audience: PropertyAudience = .everybody,
        _ get: @escaping Get<Word?>, _ set: @escaping Set<Word?>
    ) -> Field where Word.RawValue == String {
        Field(name, word, .text, audience, get, set, to: { .text($0?.rawValue ?? "") }) {
            guard case .text(let text) = $0 else { return nil }
            return text.isEmpty ? .some(nil) : Word(rawValue: text).map { .some($0) }
        }
    }

    static func texts(_ name: String, _ get: @escaping Get<[String]>, _ set: @escaping Set<[String]>) -> Field {
        Field(name, nil, .words, .everybody, get, set, to: { .words($0) }) {
            if case .words(let words) = $0 { words } else { nil }
        }
    }

    /// Words in their order. Those of a newer version are left out.
    static func words<Word: RawRepresentable & Sendable & Equatable>(
        _ name: String, _ get: @escaping Get<[Word]>, _ set: @escaping Set<[Word]>
    ) -> Field where Word.RawValue == String {
        Field(name, nil, .words, .everybody, get, set, to: { .words($0.map(\.rawValue)) }) {
            if case .words(let words) = $0 { words.compactMap(Word.init) } else { nil }
        }
    }

    /// A set that travels as words. Those of a newer version are left out.
    static func options<Options: WordSet>(
        _ name: String, as word: String, _ get: @escaping Get<Options>, _ set: @escaping Set<Options>
    ) -> Field {
        Field(name, word, .words, .everybody, get, set, to: { .words($0.words) }) {
            if case .words(let words) = $0 { Options(words) } else { nil }
        }
    }

    static func provider(
        _ name: String, as word: String? = nil, _ get: @escaping Get<ProviderID?>, _ set: @escaping Set<ProviderID?>
    ) -> Field {
        Field(name, word, .provider, .everybody, get, set, to: { .provider($0) }) {
            if case .provider(let provider) = $0 { .some(provider) } else { nil }
        }
    }

    static func call(
        _ name: String, as word: String, _ get: @escaping Get<CallID?>, _ set: @escaping Set<CallID?>
    ) -> Field {
        Field(name, word, .call, .everybody, get, set, to: { .call($0) }) {
            if case .call(let call) = $0 { .some(call) } else { nil }
        }
    }

    static func plugin(_ name: String, _ get: @escaping Get<String?>, _ set: @escaping Set<String?>) -> Field {
        Field(name, nil, .plugin, .everybody, get, set, to: { .plugin($0) }) {
            if case .plugin(let plugin) = $0 { .some(plugin) } else { nil }
        }
    }

    static func handle(_ name: String, _ get: @escaping Get<Handle?>, _ set: @escaping Set<Handle?>) -> Field {
        Field(name, nil, .handle, .trusted, get, set, to: { .handle($0) }) {
            if case .handle(let handle) = $0 { .some(handle) } else { nil }
        }
    }

    static func translation(
        _ name: String, as word: String?, _ get: @escaping Get<Translation?>, _ set: @escaping Set<Translation?>
    ) -> Field {
        Field(name, word, .translation, .everybody, get, set, to: { .translation($0) }) {
            if case .translation(let translation) = $0 { .some(translation) } else { nil }
        }
    }

    static func quality(
        _ name: String, as word: String?, _ get: @escaping Get<CallQuality?>, _ set: @escaping Set<CallQuality?>
    ) -> Field {
        Field(name, word, .quality, .everybody, get, set, to: { .quality($0) }) {
            if case .quality(let quality) = $0 { .some(quality) } else { nil }
        }
    }

    static func customActions(
        _ name: String, _ get: @escaping Get<[CustomAction]>, _ set: @escaping Set<[CustomAction]>
    ) -> Field {
        Field(name, nil, .customActions, .everybody, get, set, to: { .customActions($0) }) {
            if case .customActions(let actions) = $0 { actions } else { nil }
        }
    }
}
