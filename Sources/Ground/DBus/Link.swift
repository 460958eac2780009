// Link: one end of a channel between two, as opposed to a bus.

internal import CDBus
public import EventLoop

/// Why a link was closed.
public enum CloseReason: Error, Hashable, Sendable {
    case closedHere, peerClosed
    /// The peer sent something that is not a message.
    case garbage(String)
    /// The peer does not read.
    case queueFull
    /// The socket failed.
    case failed(String)
}

/// One end of a link. All signals that the other end sends arrive here, without match rules.
///
/// `PrivateLink` reaches another process, `MemoryLink` another place in this one; they differ only in how they carry
/// bytes.
@LoopActor
public class Link: MessageChannel {
    public private(set) var isOpen = true
    public var isPrivate: Bool { false }
    public var onCall: (@LoopActor (Message) -> Void)?
    /// Receives incoming signals.
    public var onSignal: (@LoopActor (Message) -> Void)?
    public var onUnmatchedReply: (@LoopActor (Message) -> Void)?
    /// Called once, after all pending calls have failed.
    public var onClosed: (@LoopActor (CloseReason) -> Void)?

    /// The size of the largest message, in bytes, that this end sends and takes. Both ends should agree on it.
    public var maximumMessage: Int
    /// How many messages have come from the other end.
    public private(set) var received = 0
    private var lastSerial: UInt32 = 0
    private let pending = PendingReplies()

    init(maximumMessage: Int) {
        self.maximumMessage = maximumMessage
    }

    // MARK: carrying bytes, by kind of link

    /// Carries one marshalled message to the other end.
    func carry(_ bytes: [UInt8]) throws(DBusError) {}

    public func handleArrived() {}

    /// Releases the transport.
    func disconnect(_ reason: CloseReason) {}

    // MARK: closing

    /// Closes the link. Pending calls fail.
    public func close() { close(.closedHere) }

    func close(_ reason: CloseReason) {
        guard isOpen else { return }
        isOpen = false
        disconnect(reason)
        pending.failAll(.disconnected)
        let onClosed = onClosed
        self.onClosed = nil
        onClosed?(reason)
    }

    // MARK: sending

    /// Sends a message. A reply that is too large, or has descriptors, becomes an error, so that its caller does not wait in vain.
    @discardableResult
    public func send(_ message: Message) -> UInt32 {
        do throws(DBusError) {
            return try transmit(message)
        } catch {
            let isAnswered = [DBusError.Name.limitsExceeded, DBusError.Name.notSupported].contains(error.name)
            guard isAnswered, message.kind == .reply else { return 0 }
            return (try? transmit(message.replaced(by: error))) ?? 0
        }
    }

    @discardableResult
    public func call(
        _ message: Message, timeout: Duration, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 {
        do throws(DBusError) {
            let serial = try transmit(message)
            pending.add(serial, timeout: timeout, reply)
            return serial
        } catch {
            PendingReplies.failLater(reply, error)
            return 0
        }
    }

    private func transmit(_ message: Message) throws(DBusError) -> UInt32 {
        guard isOpen else { throw .disconnected }
        // The header would announce descriptors that do not arrive: the other end would close the link.
        if message.hasDescriptors {
            throw DBusError(DBusError.Name.notSupported, "a link between two processes carries no descriptors")
        }
        let message = message.serial == 0 ? message : try message.copy()
        lastSerial = lastSerial == .max ? 1 : lastSerial + 1
        let bytes = try message.marshalled(serial: lastSerial)
        guard bytes.count <= maximumMessage else {
            throw DBusError(
                DBusError.Name.limitsExceeded, "a message of \(bytes.count) bytes, over \(maximumMessage)")
        }
        try carry(bytes)
        return lastSerial
    }

    // MARK: receiving

    /// Handles the bytes of one message from the other end. Bytes that are not a message close the link.
    ///
    /// - Parameter sender: the name that the message shows as its sender; nil if the transport vouches for none.
    func receive(_ bytes: UnsafeRawBufferPointer, from sender: String? = nil) {
        guard isOpen else { return }
        do throws(DBusError) {
            let message = try Message.demarshal(bytes)
            guard dbus_message_set_sender(message.raw, sender) != 0 else { throw .noMemory }
            received += 1
            deliver(message)
        } catch {
            close(.garbage(error.message))
        }
    }

    private func deliver(_ message: Message) {
        switch message.kind {
        case .call:
            if let onCall {
                onCall(message)
            } else if message.expectsReply {
                send(message.errorReply(DBusError(DBusError.Name.unknownObject, "nothing is served here")))
            }
        case .reply, .error: if pending.deliver(message) == .unmatched { onUnmatchedReply?(message) }
        case .signal: onSignal?(message)
        }
    }
}
