// The answer to ProviderDelegate1.Perform.

public import CallModel
public import DBus

/// The result of a fulfilled action.
public struct PerformResult: Sendable, Hashable {
    /// When it started, connected or ended; nil means now.
    public var date: WallTime?
    /// The engine that translates, if the action began a translation.
    public var engine: TranslationEngine

    /// The keys that the contract has.
    public static let keys: Set<String> = [Key.date, Key.engine]

    private enum Key {
        static let date = "date"
        static let engine = "translation-engine"
    }

    public init(date: WallTime? = nil, engine: TranslationEngine = .default) {
        self.date = date
        self.engine = engine
    }

    /// - Throws: `InvalidArguments` if `date` or `translation-engine` has the wrong type or is outside its values.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init()
        let date = try wire.optional(Key.date, as: WallTime.self)
        self.date = date == 0 ? nil : date
        engine = try wire.optionalWord(Key.engine) ?? .default
    }

    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.date, date)
        wire.set(Key.engine, engine == .default ? nil : engine.rawValue)
        return wire
    }
}
