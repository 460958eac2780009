// OwnedDescriptor: an open file descriptor that came with a message, or goes with one.

internal import CDBus
internal import EventLoop
internal import Glibc

/// A file descriptor that is closed when it is dropped.
public final class OwnedDescriptor: Sendable {
    public let number: Int32

    /// Takes over an open descriptor.
    public init(owning number: Int32) { self.number = number }

    deinit { close(number) }
}

extension Message {
    /// Returns a copy of the descriptor that is the only argument. It is closed in programs that this process starts. The
    /// message's own is closed with the message.
    ///
    /// Throws `InvalidArgs` for other arguments, and `LimitsExceeded` if this process has too many descriptors open.
    public func readDescriptor() throws(DBusError) -> OwnedDescriptor {
        guard has(signature: "h") else {
            throw DBusError(DBusError.Name.invalidArgs, "expected (h), found (\(signature))")
        }
        let number = try read { (reader) throws(DBusError) in try reader.fixed(ock_type_descriptor, Int32(-1)) }
        guard number >= 0 else {
            throw DBusError(DBusError.Name.limitsExceeded, "the descriptor cannot be taken over")
        }
        return OwnedDescriptor(owning: number)
    }

    /// Appends a copy of a descriptor.
    public func append(_ descriptor: OwnedDescriptor) throws(DBusError) {
        try write { (writer) throws(DBusError) in try writer.fixed(ock_type_descriptor, descriptor.number) }
    }
}
