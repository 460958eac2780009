// The translation of a call: between which languages, and who translates.

/// What is spoken at either end of a call, as language tags such as `en-GB`.
public struct Languages: Sendable, Hashable {
    public var local: String
    public var remote: String

    public init(local: String, remote: String) {
        self.local = local
        self.remote = remote
    }

    /// The end of a translation may leave open which one: it is the one under way.
    public static let open = Languages(local: "", remote: "")
}

/// Who translates, as a provider says it (CXTranslationEngine): the system's engine or its own.
public enum TranslationEngine: String, Sendable, Hashable, CaseIterable {
    case `default`, custom
}

/// The translation of a call that is under way.
public struct Translation: Sendable, Hashable {
    public var languages: Languages
    public var engine: TranslationEngine

    public init(_ languages: Languages, by engine: TranslationEngine) {
        self.languages = languages
        self.engine = engine
    }
}

extension Translation: CustomStringConvertible {
    /// `en-GB,sv,custom`.
    public var description: String { "\(languages.local),\(languages.remote),\(engine.rawValue)" }
}

extension CallAction {
    /// - Throws: `InvalidArguments` unless both tags match `[0-9A-Za-z_-]{1,64}`, or are both empty where a translation
    ///   ends.
    public static func check(_ languages: Languages, isTranslating: Bool) throws(CallError) {
        if !isTranslating, languages == .open { return }
        for tag in [languages.local, languages.remote] {
            guard (1...64).contains(tag.utf8.count), tag.utf8.allSatisfy(isOfTag) else {
                throw CallError(
                    .invalidArguments,
                    "a language is 1 to 64 letters, digits, dashes and underscores, such as en-GB, for either end")
            }
        }
    }

    private static func isOfTag(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-_".utf8.contains(byte)
    }
}
