// OwnedDescriptor: an open file descriptor that came with a message, or goes with one.

internal import CDBus
internal import EventLoop
internal import Glibc

/// A file descriptor that is closed when its last copy is dropped: the D-Bus type `h`.
///
/// A method that is served takes one as an argument like any other, and a call sends one. Each message has its own
/// duplicates, which are closed with it: what nobody takes does not stay open. One that is taken is closed in programs
/// that this process starts.
public struct OwnedDescriptor: Hashable, Sendable {
    /// How many descriptors may be appended to a message at a time, and how many are taken of one message. A system bus
    /// carries no more of them in one message.
    public static let maximumPerMessage = 16

    private final class Box: Sendable {
        let number: Int32

        init(_ number: Int32) { self.number = number }

        deinit { close(number) }
    }

    private let box: Box

    public var number: Int32 { box.number }

    /// Takes over an open descriptor.
    public init(owning number: Int32) { box = Box(number) }

    public static func == (one: OwnedDescriptor, other: OwnedDescriptor) -> Bool { one.number == other.number }

    public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

extension OwnedDescriptor: DBusType {
    public static var signature: String { "h" }

    /// Appends a duplicate. Throws `LimitsExceeded` for too many in one message, or if this process cannot open more.
    public func append(to writer: inout MessageWriter) throws(DBusError) { try writer.descriptor(number) }

    /// Takes a duplicate. Throws `LimitsExceeded` for too many in one message, or if this process cannot open more.
    public init(from reader: inout MessageReader) throws(DBusError) {
        self.init(owning: try reader.descriptor())
    }

    public var inVariant: Variant { .descriptor(self) }

    public init?(inside variant: Variant) {
        guard case .descriptor(let descriptor) = variant else { return nil }
        self = descriptor
    }
}
