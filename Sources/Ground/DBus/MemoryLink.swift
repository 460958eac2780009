// MemoryLink: one end of a channel whose other end is in the same process. For tests, and for kits of tests.

internal import CDBus
public import EventLoop

/// Carries what the ends of its links send each other, in the order in which it was sent and only when told to: nothing
/// arrives by itself, so that what happens is the same every time.
@LoopActor
public final class MemoryExchange {
    private enum Post {
        case message(Message, to: MemoryLink)
        case closing(MemoryLink)
    }

    private var posts: [Post] = []
    /// Called when something is on its way, and nothing was before.
    public var onPost: (@LoopActor () -> Void)?

    public init() {}

    /// Two ends of a new link.
    ///
    /// - Parameters:
    ///   - near: the sender that messages of the first end show at the second; nil as on a private link.
    ///   - far: the sender that messages of the second end show at the first.
    public func link(near: String? = nil, far: String? = nil) -> (near: MemoryLink, far: MemoryLink) {
        let ends = (MemoryLink(self, name: near), MemoryLink(self, name: far))
        ends.0.peer = ends.1
        ends.1.peer = ends.0
        return ends
    }

    /// Delivers until nothing is on its way any more.
    public func deliver() {
        while !posts.isEmpty { deliver(posts.removeFirst()) }
    }

    /// Delivers what is on its way now. What follows from that is on its way then.
    /// - Returns: whether anything was.
    public func deliverOnce() -> Bool {
        let arriving = posts
        posts = []
        for post in arriving { deliver(post) }
        return !arriving.isEmpty
    }

    private func deliver(_ post: Post) {
        switch post {
        case .message(let message, let link): link.receive(message)
        case .closing(let link): link.close(announcing: false)
        }
    }

    fileprivate func post(_ message: Message, to link: MemoryLink) { post(.message(message, to: link)) }

    fileprivate func postClosing(of link: MemoryLink) { post(.closing(link)) }

    private func post(_ post: Post) {
        posts.append(post)
        if posts.count == 1 { onPost?() }
    }
}

/// Whatever it sends is marshalled, and read again as from a wire.
@LoopActor
public final class MemoryLink: MessageChannel {
    public private(set) var isOpen = true
    public var onCall: (@LoopActor (Message) -> Void)?
    public var onSignal: (@LoopActor (Message) -> Void)?
    public var onUnmatchedReply: (@LoopActor (Message) -> Void)?
    /// Called once, after all pending calls have failed.
    public var onClosed: (@LoopActor () -> Void)?

    fileprivate weak var peer: MemoryLink?
    private let exchange: MemoryExchange
    private let name: String?
    private var lastSerial: UInt32 = 0
    private let pending = PendingReplies()

    fileprivate init(_ exchange: MemoryExchange, name: String?) {
        self.exchange = exchange
        self.name = name
    }

    /// Closes both ends; the other one hears of it after what was sent before.
    public func close() {
        close(announcing: true)
    }

    fileprivate func close(announcing: Bool) {
        guard isOpen else { return }
        isOpen = false
        if announcing, let peer { exchange.postClosing(of: peer) }
        pending.failAll(.disconnected)
        let onClosed = onClosed
        self.onClosed = nil
        onClosed?()
    }

    @discardableResult
    public func send(_ message: Message) -> Bool {
        do throws(DBusError) {
            return try transmit(message) != 0
        } catch {
            return false
        }
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

    public func forget(_ serial: UInt32) {
        pending.forget(serial)
    }

    private func transmit(_ message: Message) throws(DBusError) -> UInt32 {
        guard isOpen, let peer else { throw .disconnected }
        let message = message.serial == 0 ? message : try message.copy()
        lastSerial += 1
        let bytes = try message.withMarshalled(serial: lastSerial) { Array($0) }
        let arriving = try Message.demarshal(bytes)
        guard dbus_message_set_sender(arriving.raw, name) != 0 else { throw .noMemory }
        exchange.post(arriving, to: peer)
        return lastSerial
    }

    fileprivate func receive(_ message: Message) {
        guard isOpen else { return }
        switch message.kind {
        case .call: onCall?(message)
        case .reply, .error: if !pending.deliver(message) { onUnmatchedReply?(message) }
        case .signal: onSignal?(message)
        }
    }
}
