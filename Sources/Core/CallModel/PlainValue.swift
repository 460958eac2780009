// PlainValue: a published value, before it is decided how it travels.

/// The value of a property that the daemon publishes.
public enum PlainValue: Sendable, Hashable {
    case flag(Bool)
    case number(UInt32)
    case text(String)
    case words([String])
    /// In µs on the property's clock, 0 = not yet.
    case moment(UInt64)
    case call(CallID?)
    case provider(ProviderID?)
    /// The plugin's id.
    case plugin(String?)
    case handle(Handle?)
    case translation(Translation?)
    case quality(CallQuality?)
    case customActions([CustomAction])

    /// The value as scenario files have it; empty if there is none.
    public var text: String {
        switch self {
        case .flag(let flag): flag.word
        case .number(let number): String(number)
        case .text(let text): text
        case .words(let words): words.joined(separator: ",")
        case .moment(let moment): String(moment)
        case .call(let call): call?.scenarioText ?? ""
        case .provider(let provider): provider?.rawValue ?? ""
        case .plugin(let plugin): plugin ?? ""
        case .handle(let handle): handle?.value ?? ""
        case .translation(let translation): translation?.description ?? ""
        case .quality(let quality): quality?.description ?? ""
        case .customActions(let actions): actions.map(\.id).joined(separator: ",")
        }
    }

    /// What a property holds, whatever its value.
    public enum Kind: Sendable, Hashable {
        case flag, number, text, words, moment, call, provider, plugin, handle, translation, quality, customActions
    }
}
