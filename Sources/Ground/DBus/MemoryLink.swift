// MemoryLink: a link whose other end is in the same process, for tests and test kits.

public import EventLoop

/// Carries messages between the ends of its links, in the order in which they were sent and only when told to: nothing
/// arrives by itself, so that every run is the same.
@LoopActor
public final class MemoryExchange {
    fileprivate enum Post {
        case message([UInt8], from: String?, to: MemoryLink)
        case closing(MemoryLink)
    }

    private var posts: [Post] = []
    /// Called when something is on its way and nothing was before.
    public var onPost: (@LoopActor () -> Void)?

    public init() {}

    /// Returns the two ends of a new link.
    ///
    /// - Parameters:
    ///   - near: the sender that messages of the first end show at the second, as on a bus; nil as on a private link.
    ///   - far: the sender that messages of the second end show at the first.
    public func link(near: String? = nil, far: String? = nil) -> (near: MemoryLink, far: MemoryLink) {
        let maximum = near == nil && far == nil ? PrivateLink.maximumPacket : Bus.maximumMessage
        let ends = (MemoryLink(self, name: near, maximum), MemoryLink(self, name: far, maximum))
        ends.0.peer = ends.1
        ends.1.peer = ends.0
        return ends
    }

    /// Delivers until nothing is on its way any more.
    public func deliver() {
        while !posts.isEmpty { deliver(posts.removeFirst()) }
    }

    /// Delivers what is on its way now, but not what is sent in response.
    /// - Returns: whether anything was on its way.
    public func deliverOnce() -> Bool {
        let arriving = posts
        posts = []
        for post in arriving { deliver(post) }
        return !arriving.isEmpty
    }

    private func deliver(_ post: Post) {
        switch post {
        case .message(let bytes, let sender, let link): bytes.withUnsafeBytes { link.receive($0, from: sender) }
        case .closing(let link): link.close(.peerClosed)
        }
    }

    fileprivate func post(_ post: Post) {
        posts.append(post)
        if posts.count == 1 { onPost?() }
    }
}

/// One end of a link within this process. Messages are marshalled, and read again as from a wire.
@LoopActor
public final class MemoryLink: Link {
    fileprivate weak var peer: MemoryLink?
    private let exchange: MemoryExchange
    private let name: String?

    fileprivate init(_ exchange: MemoryExchange, name: String?, _ maximumMessage: Int) {
        self.exchange = exchange
        self.name = name
        super.init(maximumMessage: maximumMessage)
    }

    override func carry(_ bytes: [UInt8]) throws(DBusError) {
        guard let peer else { throw .disconnected }
        exchange.post(.message(bytes, from: name, to: peer))
    }

    /// Closes the other end too, after the messages that were sent before.
    override func disconnect(_ reason: CloseReason) {
        if reason != .peerClosed, let peer { exchange.post(.closing(peer)) }
    }
}
