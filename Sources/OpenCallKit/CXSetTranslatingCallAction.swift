// CXSetTranslatingCallAction: have a call translated.

internal import CallModel

/// Who translates, as a provider answers it (CallKit: CXTranslationEngine, iOS 26).
public enum CXTranslationEngine: Int, Sendable, Hashable, CaseIterable {
    /// The system's.
    case `default` = 0
    /// The provider's own.
    case custom = 1
}

/// Begins or ends the translation of a call (CallKit: CXSetTranslatingCallAction, iOS 26).
///
/// Nothing on this system translates: a request of this action is refused as `invalidAction`, on the bus `NotSupported`,
/// and no delegate ever gets one. It is here so that code which can translate elsewhere builds and is told so.
public final class CXSetTranslatingCallAction: CXCallAction, @unchecked Sendable {
    /// True to begin, false to end.
    public let isTranslating: Bool
    /// A language tag, such as `en-GB`.
    public let localLanguage: String
    /// A language tag.
    public let remoteLanguage: String

    /// A request to begin or to end a translation; it is always refused.
    /// - Parameters:
    ///   - callUUID: the call.
    ///   - isTranslating: true to begin, false to end.
    ///   - localLanguage: the language tag of this side's language, such as `en-GB`.
    ///   - remoteLanguage: that of the far side's.
    public init(call callUUID: UUID, isTranslating: Bool, localLanguage: String, remoteLanguage: String) {
        self.isTranslating = isTranslating
        self.localLanguage = localLanguage
        self.remoteLanguage = remoteLanguage
        super.init(call: callUUID)
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

    /// Says that it is done, and by whom.
    public func fulfill(using translationEngine: CXTranslationEngine) { fulfill() }

    override func model() throws(CallError) -> CallAction {
        throw CallError(.notSupported, "call \(callUUID.wire) cannot be translated: nothing here translates")
    }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
