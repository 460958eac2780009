// MatchRule: the conditions of a subscription to signals.

internal import EventLoop

/// A rule for signals. A nil condition matches everything.
public struct MatchRule: Hashable, Sendable {
    /// A unique or a well-known name; the latter follows its owner.
    public var sender: String?
    public var path: ObjectPath?
    /// A path, and all below it.
    public var pathNamespace: ObjectPath?
    public var interface: String?
    public var member: String?
    /// The first argument, if it is text.
    public var arg0: String?

    public init(
        sender: String? = nil, path: ObjectPath? = nil, pathNamespace: ObjectPath? = nil, interface: String? = nil,
        member: String? = nil, arg0: String? = nil
    ) {
        self.sender = sender
        self.path = path
        self.pathNamespace = pathNamespace
        self.interface = interface
        self.member = member
        self.arg0 = arg0
    }

    /// The rule as the bus reads it.
    var text: String {
        let parts = [
            ("sender", sender), ("path", path?.text), ("path_namespace", pathNamespace?.text),
            ("interface", interface), ("member", member), ("arg0", arg0),
        ]
        let conditions = parts.compactMap { key, value in
            value.map {
                ",\(key)='\($0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
            }
        }
        return "type='signal'" + conditions.joined()
    }

    /// Whether the rule matches the signal, its sender aside.
    @LoopActor
    func matches(_ signal: Message) -> Bool {
        if let member, signal.member != member { return false }
        if let interface, signal.interface != interface { return false }
        if let path, signal.pathText != path.text { return false }
        if let pathNamespace, signal.path?.isWithin(pathNamespace) != true { return false }
        if let arg0 {
            guard signal.signature.hasPrefix("s") else { return false }
            let first = try? signal.read { reader throws(DBusError) in try String(from: &reader) }
            if first != arg0 { return false }
        }
        return true
    }
}
