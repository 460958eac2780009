// MessageTemplate: a call that is made many times with other arguments.

public import EventLoop

/// Where a call goes: names that are checked once.
@LoopActor
public struct MessageTemplate {
    private let destination: String?
    private let path: ObjectPath
    private let interface: String
    private let member: String

    /// - Throws: `InvalidArgs` if a name is none.
    public init(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String
    ) throws(DBusError) {
        try Message.checkNames(destination, interface, member)
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
    }

    /// A call with the arguments that `write` appends.
    public func call(
        _ write: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) throws(DBusError) -> Message {
        let message = try Message.checkedCall(to: destination, at: path, interface, member)
        try message.write(write)
        return message
    }
}
