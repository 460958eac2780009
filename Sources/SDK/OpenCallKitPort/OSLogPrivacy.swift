// OSLogPrivacy: which values of a message are redacted.

/// Whether a value is redacted (os: OSLogPrivacy).
public struct OSLogPrivacy: Sendable {
    /// What stands for a redacted value.
    public enum Mask: Sendable {
        /// A hash, by which equal values can be recognized. Each run of the program has other hashes.
        case hash
        /// The word `<private>`.
        case none
    }

    private enum Kind { case auto, `public`, `private` }

    private let kind: Kind
    private var mask = Mask.none

    /// Redacts strings, objects and errors; shows numbers, Booleans and names of types. The default.
    public static var auto: OSLogPrivacy { OSLogPrivacy(kind: .auto) }
    /// Shows the value.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(kind: .public) }
    /// Redacts the value.
    public static var `private`: OSLogPrivacy { OSLogPrivacy(kind: .private) }
    /// Redacts the value, as `private` does.
    public static var sensitive: OSLogPrivacy { OSLogPrivacy(kind: .private) }

    /// Redacts strings, objects and errors, with a mask; shows numbers, Booleans and names of types.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .auto, mask: mask) }
    /// Redacts the value, with a mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .private, mask: mask) }
    /// Redacts the value, with a mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(kind: .private, mask: mask) }

    /// Returns a value as the log shows it.
    /// - Parameters:
    ///   - value: makes the text of the value.
    ///   - isPublic: whether `auto` shows a value of this type.
    func shown(_ value: @autoclosure () -> String, isPublic: Bool) -> String {
        if kind == .public || kind == .auto && isPublic { return value() }
        return switch mask {
        case .none: "<private>"
        case .hash: "<mask.hash: '\(String(UInt(bitPattern: value().hashValue), radix: 16))'>"
        }
    }
}
