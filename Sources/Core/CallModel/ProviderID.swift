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

/// How the host names a provider.
extension ProviderID {
    private static let longestWish = 64
    private static let longestWishAfterPrefix = 32

    /// The id that a provider should get. Those of apps begin with `app_`, so that no app gets the id of a plugin, and with
    /// it the favorites and calls back that mean the plugin.
    ///
    /// - Parameters:
    ///   - name: the plugin's id, or the name that the provider shows.
    ///   - key: tells apart the providers of one name; may be empty.
    ///   - prefix: the prefix of a sandboxed app's ids; empty for any other owner.
    public static func wish(name: String, key: String, isApp: Bool, prefix: String = "") -> String {
        let wish = key.isEmpty ? name : "\(name)_\(key)"
        if isApp { return prefix.isEmpty ? "app_\(wish)" : wish }
        return wish.hasPrefix("app_") ? "plugin_\(wish)" : wish
    }

    /// The wish, or the wish with the first number that is free. Each character that is not allowed is `_`.
    ///
    /// - Parameter prefix: as for the wish.
    /// - Returns: nil if all are taken that are short enough.
    public init?(wish: String, prefix: String = "", isTaken: (ProviderID) -> Bool) {
        let legal = wish.unicodeScalars.prefix(prefix.isEmpty ? Self.longestWish : Self.longestWishAfterPrefix).map {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) ? Character($0) : "_"
        }
        let base = prefix + (legal.isEmpty ? "provider" : String(legal))
        var number = 1
        while let id = ProviderID(number == 1 ? base : "\(base)_\(number)") {
            if !isTaken(id) {
                self = id
                return
            }
            number += 1
        }
        return nil
    }
}
