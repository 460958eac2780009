// TurnQueue: what waits for its turn, such as the messages of a bus.

internal import DequeModule
public import EventLoop

/// What the sender of a message has waiting, and all senders together.
public struct WaitingMessages: Sendable {
    public var count = 0
    /// Of arguments.
    public var bytes = 0
    public var bytesOfAll = 0
}

/// Messages, or what else is to be done, in the order in which they came from each sender; the senders take turns. Those
/// that are held have none.
@LoopActor
public final class TurnQueue<Item> {
    private struct Line {
        var items: Deque<(item: Item, bytes: Int, isAnswer: Bool)> = []
        var bytes = 0
        /// How many of them are answers.
        var answers = 0
    }

    private var lines: [String: Line] = [:]
    /// The senders that have turns, the next one first.
    private var senders: Deque<String> = []
    private var held: Set<String> = []
    private(set) var count = 0
    private var bytes = 0

    public init() {}

    var isEmpty: Bool { count == 0 }

    func hasMessages(of sender: String) -> Bool { lines[sender] != nil }

    public func waiting(of sender: String) -> WaitingMessages {
        let line = lines[sender]
        return WaitingMessages(count: line?.items.count ?? 0, bytes: line?.bytes ?? 0, bytesOfAll: bytes)
    }

    public func add(_ item: Item, of sender: String, bytes: Int, isAnswer: Bool) {
        if lines[sender] == nil, !held.contains(sender) { senders.append(sender) }
        lines[sender, default: Line()].items.append((item, bytes, isAnswer))
        lines[sender]?.bytes += bytes
        if isAnswer { lines[sender]?.answers += 1 }
        self.bytes += bytes
        count += 1
    }

    /// Gives a sender no turns until it is released. Its messages wait, in their order.
    public func hold(_ sender: String) {
        guard held.insert(sender).inserted, lines[sender] != nil,
            let index = senders.firstIndex(of: sender)
        else { return }
        senders.remove(at: index)
    }

    public func release(_ sender: String) {
        if held.remove(sender) != nil, lines[sender] != nil { senders.append(sender) }
    }

    /// Takes the message whose turn it is.
    ///
    /// - Parameter limit: passes over the senders that have more messages waiting; nil for none of them.
    public func next(ofThoseWithAtMost limit: Int? = nil) -> Item? {
        let index: Int? =
            if let limit {
                senders.firstIndex { (lines[$0]?.items.count ?? 0) <= limit }
            } else {
                senders.indices.first
            }
        guard let index else { return nil }
        let sender = senders.remove(at: index)
        let item = take(of: sender)
        if lines[sender] != nil { senders.append(sender) }
        return item
    }

    /// Takes an answer, or the next message that came before one from the same sender.
    func nextUpToAnswer() -> Item? {
        guard let index = senders.firstIndex(where: { (lines[$0]?.answers ?? 0) > 0 }) else { return nil }
        let sender = senders[index]
        let item = take(of: sender)
        if lines[sender] == nil { senders.remove(at: index) }
        return item
    }

    func removeAll() {
        lines = [:]
        senders = []
        held = []
        (count, bytes) = (0, 0)
    }

    private func take(of sender: String) -> Item? {
        guard let (item, size, isAnswer) = lines[sender]?.items.popFirst() else { return nil }
        lines[sender]?.bytes -= size
        if isAnswer { lines[sender]?.answers -= 1 }
        if lines[sender]?.items.isEmpty == true { lines[sender] = nil }
        bytes -= size
        count -= 1
        return item
    }
}

extension TurnQueue<Message> {
    func add(_ message: Message, of sender: String, bytes: Int = 0) {
        add(message, of: sender, bytes: bytes, isAnswer: message.isAnswer)
    }
}

extension Message {
    var isAnswer: Bool { kind == .reply || kind == .error }
}
