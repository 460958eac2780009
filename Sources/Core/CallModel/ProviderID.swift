// The identity of a provider: the last element of its object path.

/// Names one provider while it is registered, e.g. `Hotline`; a valid D-Bus path element (`[A-Za-z0-9_]+`).
public struct ProviderID: Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// - Returns: nil unless `text` has 1 to 128 characters out of `[A-Za-z0-9_]`.
    public init?(_ text: String) {
        let isElement = text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
        guard isElement, (1...128).contains(text.utf8.count) else { return nil }
        rawValue = text
    }

    public var description: String { rawValue }
}
