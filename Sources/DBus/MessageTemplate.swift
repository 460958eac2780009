// MessageTemplate: a call that is made many times with other arguments.

public import EventLoop

/// Where a call goes: names that are checked once.
@LoopActor
public struct MessageTemplate {
    private let destination: String?
    private let path: ObjectPath
    private let interface: String
    private let member: String
    /// The header, for a private link.
    private let wire: WireMessage

    /// - Throws: `InvalidArgs` if a name is none.
    public init(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String
    ) throws(DBusError) {
        try Message.checkNames(destination, interface, member)
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        wire = WireMessage(path: path.text, interface: interface, member: member)
    }

    /// A call with the arguments that `write` appends.
    public func call(
        _ write: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) throws(DBusError) -> Message {
        let message =
            if let destination {
                try Message.libraryCall(to: destination, at: path, interface, member)
            } else {
                Message(wire)
            }
        try message.write(write)
        return message
    }
}
