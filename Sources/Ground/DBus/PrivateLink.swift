// PrivateLink: messages between two processes over a SOCK_SEQPACKET socket.

internal import CDBus
internal import CSystem
public import EventLoop
internal import Glibc

/// A link to one other process. A message that is larger than a packet takes several, one after the other; its header
/// says how large it is. The link trusts nothing that comes over it: packets that are not one well-formed message close
/// it. Dropping it closes it.
@LoopActor
public final class PrivateLink: Link {
    /// The size of the largest packet, in bytes, and of the largest message unless `maximumMessage` is set.
    nonisolated public static let maximumPacket = 128 * 1024

    /// How many bytes may wait to be sent. A peer that lets more pile up is given up.
    public var maximumQueuedBytes = 4 << 20

    /// How many packets are taken before a wait ends.
    private static let maximumArrived = 256

    /// Where packets are received, one after the other.
    private static let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: PrivateLink.maximumPacket, alignment: 8)

    public override var isPrivate: Bool { true }

    private let descriptor: Int32
    /// The link owns its socket as long as it watches it.
    private var watch: FileWatch?
    /// The packets that wait to be sent.
    private var queue: [ArraySlice<UInt8>] = []
    private var queuedBytes = 0
    /// The packets of a message that has not arrived whole, and its size.
    private var arriving: (bytes: [UInt8], size: Int) = ([], 0)

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
            let error = SystemError(call: "socketpair", code: errno)
            throw DBusError(error.isShortage ? DBusError.Name.limitsExceeded : DBusError.Name.failed, "\(error)")
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

    /// Lets messages be larger than 128 KiB, as large as on a bus by default. The other end is trusted with that much of
    /// this process's memory.
    public func acceptLargeMessages(_ maximum: Int = Bus.maximumMessage) {
        maximumMessage = maximum
        maximumQueuedBytes = 2 * maximum
    }

    // MARK: sending

    override func carry(_ bytes: [UInt8]) throws(DBusError) {
        for start in stride(from: 0, to: bytes.count, by: Self.maximumPacket) {
            let packet = bytes[start..<min(start + Self.maximumPacket, bytes.count)]
            if queue.isEmpty, send(packet) { continue }
            // A failure of the socket shows again when the queue is sent.
            queue.append(packet)
            queuedBytes += packet.count
        }
        if queue.isEmpty { return }
        watch?.events = [.readable, .writable]
        if queuedBytes > maximumQueuedBytes {
            Loop.shared.post { [weak self] in self?.close(.queueFull) }
        }
    }

    private func send(_ packet: ArraySlice<UInt8>) -> Bool {
        packet.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == packet.count
    }

    private func sendQueue() {
        var sent = 0
        for packet in queue {
            if !send(packet) {
                if errno == EAGAIN || errno == EINTR || errno == ENOBUFS { break }
                return close(errno == EPIPE || errno == ECONNRESET ? .peerClosed : .failed(lastError("send")))
            }
            sent += 1
            queuedBytes -= packet.count
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

    public override func handleArrived() {
        for _ in 0..<Self.maximumArrived where isOpen {
            guard receive() else { return }
        }
    }

    /// Handles one packet. Returns false if there is none.
    @discardableResult
    private func receive() -> Bool {
        let buffer = PrivateLink.buffer
        let size = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC))
        if size < 0 {
            if errno != EAGAIN, errno != EINTR {
                close(errno == ECONNRESET ? .peerClosed : .failed(lastError("recv")))
            }
        } else if size == 0 {
            close(.peerClosed)
        } else if size > buffer.count {
            close(.garbage("a packet of \(size) bytes"))
        } else {
            append(UnsafeRawBufferPointer(rebasing: buffer[..<size]))
            return true
        }
        return false
    }

    private func append(_ packet: UnsafeRawBufferPointer) {
        if arriving.bytes.isEmpty {
            guard let size = Message.size(of: packet), size > packet.count else { return receive(packet) }
            guard size <= maximumMessage else {
                return close(.garbage("a message of \(size) bytes, over \(maximumMessage)"))
            }
            arriving.size = size
        }
        arriving.bytes += packet
        guard arriving.bytes.count >= arriving.size else { return }
        let bytes = arriving.bytes
        arriving = ([], 0)
        bytes.withUnsafeBytes { receive($0) }
    }

    private func lastError(_ call: String) -> String { "\(SystemError(call: call, code: errno))" }
}
