// ObjectPath and Signature: text that is known to be valid.

internal import CDBus

/// The path of an object, such as `/org/example/Things/7`. Always valid.
public struct ObjectPath: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    public static let root = ObjectPath(unchecked: "/")

    /// Nil unless the text is a path by the rules of D-Bus: elements of `[A-Za-z0-9_]`, each after a slash.
    public init?(_ text: String) {
        guard isAccepted(text, { dbus_validate_path($0, nil) }) else { return nil }
        self.text = text
    }

    /// A path in the source of a program. Traps if it is invalid.
    public init(stringLiteral text: StaticString) {
        let text = "\(text)"
        precondition(isAccepted(text) { dbus_validate_path($0, nil) }, "not an object path: \(text)")
        self.text = text
    }

    init(unchecked text: String) {
        self.text = text
    }

    public var description: String { text }

    /// The path of a child; nil if the element is empty or has characters other than `[A-Za-z0-9_]`.
    public func appending(_ element: String) -> ObjectPath? {
        element.isEmpty || element.contains("/") ? nil : ObjectPath(text == "/" ? "/\(element)" : "\(text)/\(element)")
    }

    /// Nil for the root.
    public var parent: ObjectPath? {
        guard text != "/", let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == text.startIndex ? .root : ObjectPath(unchecked: String(text[..<slash]))
    }

    /// The text after the last slash; empty for the root.
    public var lastElement: String {
        text.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(text[text.index(after: $0)...]) } ?? ""
    }

    /// Whether this is `other` or lies below it.
    public func isWithin(_ other: ObjectPath) -> Bool {
        other.text == "/" || text == other.text || text.hasPrefix(other.text + "/")
    }

    public static func < (left: ObjectPath, right: ObjectPath) -> Bool { left.text < right.text }
}

/// The types of a row of values, such as `sa{sv}`. Always valid.
public struct Signature: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    public let text: String

    public init?(_ text: String) {
        guard isAccepted(text, { dbus_signature_validate($0, nil) }) else { return nil }
        self.text = text
    }

    /// A signature in the source of a program. Traps if it is invalid.
    public init(stringLiteral text: StaticString) {
        let text = "\(text)"
        precondition(isAccepted(text) { dbus_signature_validate($0, nil) }, "not a signature: \(text)")
        self.text = text
    }

    init(unchecked text: String) {
        self.text = text
    }

    public var description: String { text }

    /// Whether it is the signature of exactly one value.
    public var isSingle: Bool { isAccepted(text) { dbus_signature_validate_single($0, nil) } }

    public static func < (left: Signature, right: Signature) -> Bool { left.text < right.text }
}
