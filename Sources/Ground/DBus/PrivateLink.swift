// PrivateLink: messages between two processes over a SOCK_SEQPACKET socket, one in each packet.

internal import CDBus
internal import CSystem
public import EventLoop
internal import Glibc

/// Why a private link was closed.
public enum CloseReason: Hashable, Sendable {
    case closedHere, peerClosed
    /// The peer sent what is no message.
    case garbage(String)
    /// The peer does not read.
    case queueFull
    /// The socket failed.
    case failed(String)
}

/// A link to one other process. It trusts nothing that comes over it: a packet that is not one well-formed message closes
/// the link. Dropping it closes it.
@LoopActor
public final class PrivateLink: MessageChannel {
    /// The largest message, in bytes.
    nonisolated public static let maximumPacket = 128 * 1024

    public private(set) var isOpen = true
    public var onCall: (@LoopActor (Message) -> Void)?
    public var onSignal: (@LoopActor (Message) -> Void)?
    public var onUnmatchedReply: (@LoopActor (Message) -> Void)?
    /// Called once, after all pending calls have failed.
    public var onClosed: (@LoopActor (CloseReason) -> Void)?
    /// What may wait to be sent, in bytes. A peer that reads so little is given up.
    public var maximumQueuedBytes = 4 << 20

    /// Where packets are received, one after the other.
    private static let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: PrivateLink.maximumPacket, alignment: 8)

    private let descriptor: Int32
    private var watch: FileWatch?
    private var lastSerial: UInt32 = 0
    private var queue: [[UInt8]] = []
    private var queuedBytes = 0
    let pending = PendingReplies()
    var knownCalls: [KnownCall] = []

    /// Takes over a connected socket of type `SOCK_SEQPACKET`. If this throws, the socket is still the caller's.
    public init(descriptor: Int32) throws(DBusError) {
        self.descriptor = descriptor
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let seqpacket = Int32(SOCK_SEQPACKET.rawValue)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0, type == seqpacket else {
            isOpen = false
            throw DBusError(DBusError.Name.failed, "descriptor \(descriptor) is not a packet socket")
        }
        var room = Int32(8 * PrivateLink.maximumPacket)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        do throws(SystemError) {
            watch = try FileWatch(descriptor, .readable) { [weak self] readiness in self?.handle(readiness) }
        } catch {
            isOpen = false
            throw DBusError(DBusError.Name.failed, "\(error)")
        }
    }

    /// A link, and the socket of its other end. The socket is the caller's to pass on and to close.
    public static func pair() throws(DBusError) -> (PrivateLink, Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, ock_seqpacket, 0, &ends) == 0 else {
            throw DBusError(DBusError.Name.failed, "\(SystemError(call: "socketpair", code: errno))")
        }
        do throws(DBusError) {
            return (try PrivateLink(descriptor: ends[0]), ends[1])
        } catch {
            for end in ends { Glibc.close(end) }
            throw error
        }
    }

    isolated deinit {
        close(.closedHere)
    }

    public func close() {
        close(.closedHere)
    }

    private func close(_ reason: CloseReason) {
        guard isOpen else { return }
        isOpen = false
        watch?.cancel()
        watch = nil
        Glibc.close(descriptor)
        queue = []
        pending.failAll(.disconnected)
        let onClosed = onClosed
        self.onClosed = nil
        onClosed?(reason)
    }

    // MARK: sending

    @discardableResult
    public func send(_ message: Message) -> Bool {
        do throws(DBusError) {
            return try transmit(message) != 0
        } catch {
            return false
        }
    }

    /// Sends a message, or queues it, and returns its serial.
    private func transmit(_ message: Message) throws(DBusError) -> UInt32 {
        guard isOpen else { throw .disconnected }
        let message = message.serial == 0 ? message : try message.copy()
        let serial = takeSerial()
        let result: Result<Void, DBusError> = try message.withMarshalled(serial: serial) { bytes in
            if bytes.count > PrivateLink.maximumPacket {
                let text = "a message of \(bytes.count) bytes, over \(PrivateLink.maximumPacket)"
                return .failure(DBusError(DBusError.Name.limitsExceeded, text))
            }
            transmit(bytes)
            return .success(())
        }
        try result.get()
        return serial
    }

    private func takeSerial() -> UInt32 {
        lastSerial = lastSerial == .max ? 1 : lastSerial + 1
        return lastSerial
    }

    private func transmit(_ bytes: UnsafeRawBufferPointer) {
        if queue.isEmpty, Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags) == bytes.count { return }
        // What is wrong with the socket will show again when the queue is sent.
        enqueue(Array(bytes))
    }

    /// Sends a message that is ready, and returns its serial.
    @discardableResult
    func transmit(_ stencil: MessageStencil, answering call: UInt32 = 0) -> UInt32 {
        let serial = takeSerial()
        transmit(stencil.filled(serial: serial, answering: call))
        return serial
    }

    private var flags: Int32 { Int32(MSG_NOSIGNAL) }

    private func enqueue(_ bytes: [UInt8]) {
        queue.append(bytes)
        queuedBytes += bytes.count
        watch?.events = [.readable, .writable]
        if queuedBytes > maximumQueuedBytes {
            Loop.shared.post { [weak self] in self?.close(.queueFull) }
        }
    }

    private func sendQueue() {
        var sent = 0
        for bytes in queue {
            if Glibc.send(descriptor, bytes, bytes.count, flags) != bytes.count {
                if errno == EAGAIN || errno == EINTR || errno == ENOBUFS { break }
                return close(errno == EPIPE || errno == ECONNRESET ? .peerClosed : .failed(lastError("send")))
            }
            sent += 1
            queuedBytes -= bytes.count
        }
        queue.removeFirst(sent)
        if queue.isEmpty { watch?.events = .readable }
    }

    @discardableResult
    public func call(
        _ message: Message, timeoutMilliseconds: Int, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 {
        do throws(DBusError) {
            let serial = try transmit(message)
            pending.add(serial, timeoutMilliseconds: timeoutMilliseconds, reply)
            return serial
        } catch {
            PendingReplies.failLater(reply, error)
            return 0
        }
    }

    /// Calls a method, as `call(_:timeoutMilliseconds:reply:)` does, with a message that needs no making.
    @discardableResult
    public func call(
        _ stencil: MessageStencil, timeoutMilliseconds: Int,
        reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 {
        guard isOpen else {
            PendingReplies.failLater(reply, .disconnected)
            return 0
        }
        let serial = transmit(stencil)
        pending.add(serial, timeoutMilliseconds: timeoutMilliseconds, reply)
        return serial
    }

    public func forget(_ serial: UInt32) {
        pending.forget(serial)
    }

    // MARK: receiving

    private func handle(_ readiness: Readiness) {
        if readiness.contains(.writable) { sendQueue() }
        // One packet: most come alone, and a peer that sends without end does not keep others from their turn.
        if isOpen { receive() }
    }

    /// Handles one packet, if there is one.
    private func receive() {
        let buffer = PrivateLink.buffer
        let size = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC))
        if size < 0 {
            if errno == EAGAIN || errno == EINTR { return }
            return close(errno == ECONNRESET ? .peerClosed : .failed(lastError("recv")))
        }
        if size == 0 { return close(.peerClosed) }
        if size > buffer.count { return close(.garbage("a packet of \(size) bytes")) }
        let packet = UnsafeRawBufferPointer(rebasing: buffer[..<size])
        if takeKnown(packet) { return }
        let message: Message
        do throws(DBusError) {
            message = try Message.demarshal(packet)
        } catch {
            return close(.garbage(error.message))
        }
        deliver(message)
    }

    private func deliver(_ message: Message) {
        // Nobody vouches for a sender here.
        _ = dbus_message_set_sender(message.raw, nil)
        switch message.kind {
        case .call:
            if let onCall {
                onCall(message)
            } else if message.expectsReply {
                send(message.errorReply(DBusError(DBusError.Name.unknownObject, "nothing is served here")))
            }
        case .reply, .error:
            if !pending.deliver(message) { onUnmatchedReply?(message) }
        case .signal:
            onSignal?(message)
        }
    }

    private func lastError(_ call: String) -> String {
        "\(SystemError(call: call, code: errno))"
    }
}

extension CloseReason: Error {}
