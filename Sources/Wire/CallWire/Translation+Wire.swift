// The details of a set-translating action, in RequestTransaction and in Perform alike.

import CallModel
import DBus

private enum TranslationKey {
    static let translating = "translating"
    static let localLanguage = "local-language"
    static let remoteLanguage = "remote-language"
}

extension VariantDictionary {
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
