// MemberUse: what a call does with a member of an interface.

/// One member, and what is done with it.
public struct MemberUse: Hashable, Sendable {
    public enum Kind: Sendable {
        /// A method is called.
        case call
        /// A property is read.
        case read
        /// A property is set.
        case write
    }

    public let kind: Kind
    public let member: String
    public let interface: String

    init(_ kind: Kind, _ member: String, of interface: String) {
        self.kind = kind
        self.member = member
        self.interface = interface
    }
}
