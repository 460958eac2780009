// The details of a set-translating action, in RequestTransaction and in Perform alike.

public import CallModel
public import DBus

private enum TranslationKey {
    static let translating = "translating"
    static let localLanguage = "local-language"
    static let remoteLanguage = "remote-language"
    static let engine = "engine"
}

extension Translation {
    /// The value of the property `Translation`.
    public var wire: VariantDictionary {
        [
            TranslationKey.localLanguage: .string(languages.local),
            TranslationKey.remoteLanguage: .string(languages.remote), TranslationKey.engine: .string(engine.rawValue),
        ]
    }

    /// - Returns: nil if there is no translation, or a value of another type.
    public init?(wire: VariantDictionary) {
        guard let local: String = try? wire.value(TranslationKey.localLanguage),
            let remote: String = try? wire.value(TranslationKey.remoteLanguage),
            let engine = TranslationEngine(rawValue: wire[TranslationKey.engine, default: ""])
        else { return nil }
        self.init(Languages(local: local, remote: remote), by: engine)
    }
}

extension VariantDictionary {
    /// The keys of a set-translating action.
    static let translationKeys: Set<String> = [
        TranslationKey.translating, TranslationKey.localLanguage, TranslationKey.remoteLanguage,
    ]

    /// - Throws: `InvalidArguments` for a key that is missing or of the wrong type, and for an invalid language tag.
    func translating(_ call: CallID) throws(CallError) -> CallAction {
        let isTranslating: Bool = try needed(TranslationKey.translating)
        let languages = Languages(
            local: try optional(TranslationKey.localLanguage) ?? "",
            remote: try optional(TranslationKey.remoteLanguage) ?? "")
        try CallAction.check(languages, isTranslating: isTranslating)
        return .setTranslating(call, isTranslating, languages)
    }

    mutating func setTranslating(_ isTranslating: Bool, _ languages: Languages) {
        set(TranslationKey.translating, isTranslating)
        set(TranslationKey.localLanguage, languages.local)
        set(TranslationKey.remoteLanguage, languages.remote)
    }
}
