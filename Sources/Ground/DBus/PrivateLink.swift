// PrivateLink: messages between two processes over a SOCK_SEQPACKET socket, one in each packet.

internal import CDBus
internal import CSystem
public import EventLoop
internal import Glibc

/// A link to one other process. It trusts nothing that comes over it: a packet that is not one well-formed message closes
/// the link. Dropping it closes it.
@LoopActor
public final class PrivateLink: Link {
    /// The size of the largest message, in bytes.
    nonisolated public static let maximumPacket = 128 * 1024

    /// How many bytes may wait to be sent. A peer that lets more pile up is given up.
    public var maximumQueuedBytes = 4 << 20

    /// Where packets are received, one after the other.
    private static let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: PrivateLink.maximumPacket, alignment: 8)

    public override var isPrivate: Bool { true }

    private let descriptor: Int32
    /// The link owns its socket as long as it watches it.
    private var watch: FileWatch?
    private var queue: [[UInt8]] = []
    private var queuedBytes = 0

    /// Takes over a connected socket of type `SOCK_SEQPACKET`. If this throws, the socket is still the caller's.
    public init(descriptor: Int32) throws(DBusError) {
        self.descriptor = descriptor
        super.init(maximumMessage: PrivateLink.maximumPacket)
        var type: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        let seqpacket = Int32(SOCK_SEQPACKET.rawValue)
        guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0, type == seqpacket else {
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
            throw DBusError(DBusError.Name.failed, "\(error)")
        }
    }

    /// Returns a link and the socket of its other end. The socket is the caller's to pass on and to close.
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
        close()
    }

    override func disconnect(_ reason: CloseReason) {
        guard let watch else { return }
        watch.cancel()
        self.watch = nil
        Glibc.close(descriptor)
        queue = []
    }

    // MARK: sending

    override func carry(_ bytes: [UInt8]) throws(DBusError) {
        if queue.isEmpty, Glibc.send(descriptor, bytes, bytes.count, flags) == bytes.count { return }
        // A failure of the socket shows again when the queue is sent.
        queue.append(bytes)
        queuedBytes += bytes.count
        watch?.events = [.readable, .writable]
        if queuedBytes > maximumQueuedBytes {
            Loop.shared.post { [weak self] in self?.close(.queueFull) }
        }
    }

    private var flags: Int32 { Int32(MSG_NOSIGNAL) }

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

    // MARK: receiving

    private func handle(_ readiness: Readiness) {
        if readiness.contains(.writable) { sendQueue() }
        // One packet at a time, so that a peer that sends without end does not keep others from their turn.
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
        receive(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
    }

    private func lastError(_ call: String) -> String { "\(SystemError(call: call, code: errno))" }
}
