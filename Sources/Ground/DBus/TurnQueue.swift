// TurnQueue: the messages of a bus that wait for their turn.

internal import DequeModule
internal import EventLoop

/// What the sender of a message has waiting, and all senders together.
public struct WaitingMessages: Sendable {
    public var count = 0
    /// Of arguments.
    public var bytes = 0
    public var bytesOfAll = 0
}

/// Messages in the order in which they came from each sender; the senders take turns. Those that are held have none.
@LoopActor
final class TurnQueue {
    private struct Line {
        var messages: Deque<(message: Message, bytes: Int)> = []
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

    var isEmpty: Bool { count == 0 }

    func hasMessages(of sender: String) -> Bool { lines[sender] != nil }

    func waiting(of sender: String) -> WaitingMessages {
        let line = lines[sender]
        return WaitingMessages(count: line?.messages.count ?? 0, bytes: line?.bytes ?? 0, bytesOfAll: bytes)
    }

    func add(_ message: Message, of sender: String, bytes: Int = 0) {
        if lines[sender] == nil, !held.contains(sender) { senders.append(sender) }
        lines[sender, default: Line()].messages.append((message, bytes))
        lines[sender]?.bytes += bytes
        if message.isAnswer { lines[sender]?.answers += 1 }
        self.bytes += bytes
        count += 1
    }

    /// Gives a sender no turns until it is released. Its messages wait, in their order.
    func hold(_ sender: String) {
        guard held.insert(sender).inserted, lines[sender] != nil,
            let index = senders.firstIndex(of: sender)
        else { return }
        senders.remove(at: index)
    }

    func release(_ sender: String) {
        if held.remove(sender) != nil, lines[sender] != nil { senders.append(sender) }
    }

    /// Takes the message whose turn it is.
    ///
    /// - Parameter limit: passes over the senders that have more messages waiting; nil for none of them.
    func next(ofThoseWithAtMost limit: Int? = nil) -> Message? {
        let index: Int? =
            if let limit {
                senders.firstIndex { (lines[$0]?.messages.count ?? 0) <= limit }
            } else {
                senders.indices.first
            }
        guard let index else { return nil }
        let sender = senders.remove(at: index)
        let message = take(of: sender)
        if lines[sender] != nil { senders.append(sender) }
        return message
    }

    /// Takes an answer, or the next message that came before one from the same sender.
    func nextUpToAnswer() -> Message? {
        guard let index = senders.firstIndex(where: { (lines[$0]?.answers ?? 0) > 0 }) else { return nil }
        let sender = senders[index]
        let message = take(of: sender)
        if lines[sender] == nil { senders.remove(at: index) }
        return message
    }

    func removeAll() {
        lines = [:]
        senders = []
        held = []
        (count, bytes) = (0, 0)
    }

    private func take(of sender: String) -> Message? {
        guard let (message, size) = lines[sender]?.messages.popFirst() else { return nil }
        lines[sender]?.bytes -= size
        if message.isAnswer { lines[sender]?.answers -= 1 }
        if lines[sender]?.messages.isEmpty == true { lines[sender] = nil }
        bytes -= size
        count -= 1
        return message
    }
}

extension Message {
    var isAnswer: Bool { kind == .reply || kind == .error }
}
