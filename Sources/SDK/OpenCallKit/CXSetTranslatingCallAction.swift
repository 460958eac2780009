// CXSetTranslatingCallAction: starts or ends the translation of a call.

internal import CallModel
internal import CallWire

/// The engine that translates, as reported by the provider (CallKit: CXTranslationEngine, iOS 26).
public enum CXTranslationEngine: Int, Sendable, Hashable, CaseIterable {
    /// The system's engine.
    case `default` = 0
    /// The provider's own engine.
    case custom = 1
}

/// Starts or ends the translation of a call (CallKit: CXSetTranslatingCallAction, iOS 26).
///
/// The call must be connected, and may be on hold. If the provider does not declare `supportsAudioTranslation`, the
/// request is refused as `invalidAction`, on the bus `NotSupported`. While the call is muted, keep listening to this
/// side, so that the translation continues. Fulfill the action with `fulfill(using:)` when the translation has started
/// or ended.
public final class CXSetTranslatingCallAction: CXCallAction, @unchecked Sendable {
    /// True to start the translation, false to end it.
    public let isTranslating: Bool
    /// The tag of this side's language, such as `en-GB`.
    public let localLanguage: String
    /// The tag of the far side's language.
    public let remoteLanguage: String

    /// Creates a request to start a translation, to change its languages, or to end it.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - isTranslating: true to start, false to end.
    ///   - localLanguage: the tag of this side's language, such as `en-GB`: 1 to 64 letters, digits, dashes and
    ///     underscores. To end a translation both tags may be empty: the provider then gets the present languages.
    ///   - remoteLanguage: the tag of the far side's language, with the same form.
    public init(call callUUID: UUID, isTranslating: Bool, localLanguage: String, remoteLanguage: String) {
        self.isTranslating = isTranslating
        self.localLanguage = localLanguage
        self.remoteLanguage = remoteLanguage
        super.init(call: callUUID)
    }

    init(
        _ wire: PerformWire, _ isTranslating: Bool, _ languages: Languages,
        answer: @escaping Answer
    ) {
        self.isTranslating = isTranslating
        localLanguage = languages.local
        remoteLanguage = languages.remote
        super.init(wire, answer: answer)
    }

    private enum CodingKeys: CodingKey {
        case isTranslating, localLanguage, remoteLanguage
    }

    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        isTranslating = try values.decode(Bool.self, forKey: .isTranslating)
        localLanguage = try values.decode(String.self, forKey: .localLanguage)
        remoteLanguage = try values.decode(String.self, forKey: .remoteLanguage)
        try super.init(from: decoder)
    }

    override public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(isTranslating, forKey: .isTranslating)
        try values.encode(localLanguage, forKey: .localLanguage)
        try values.encode(remoteLanguage, forKey: .remoteLanguage)
        try super.encode(to: encoder)
    }

    /// Reports that the action was performed, and which engine translates; `fulfill()` reports the system's engine.
    public func fulfill(using translationEngine: CXTranslationEngine) {
        let engine: TranslationEngine =
            switch translationEngine {
            case .default: .default
            case .custom: .custom
            }
        complete(.fulfilled(PerformResult(engine: engine).wire))
    }

    override func model() throws(CallError) -> CallAction {
        let languages = Languages(local: localLanguage, remote: remoteLanguage)
        try CallAction.check(languages, isTranslating: isTranslating)
        return .setTranslating(CallID(callUUID), isTranslating, languages)
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
