// PlainValue: a published value, before it is decided how it travels.

/// The value of a property that the daemon publishes.
public enum PlainValue: Sendable, Hashable {
    case flag(Bool)
    case text(String)
    case words([String])
    /// In µs on the property's clock, 0 = not yet.
    case moment(UInt64)
    case provider(ProviderID?)
    case handle(Handle?)
    case translation(Translation?)
    case quality(CallQuality?)

    /// What a property holds, whatever its value.
    public enum Kind: Sendable, Hashable {
        case flag, text, words, moment, provider, handle, translation, quality
    }
}
