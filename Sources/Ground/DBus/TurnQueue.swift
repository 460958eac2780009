// TurnQueue: the messages of a bus that wait for their turn.

internal import DequeModule
internal import EventLoop

/// What the group of a message's sender has waiting, and all groups together.
public struct WaitingMessages: Sendable {
    public var count = 0
    /// Of arguments.
    public var bytes = 0
    public var bytesOfAll = 0
}

/// Messages in the order in which they came from each sender. Groups of senders take turns, and so do the senders of a
/// group: more connections do not make more turns. Those that are held have none, and are groups of their own until they
/// are released.
@LoopActor
final class TurnQueue {
    private struct Backlog {
        let group: String
        var messages: Deque<(message: Message, bytes: Int)> = []
        var bytes = 0
        /// How many of them are answers.
        var answers = 0
    }

    private struct Group {
        /// Those that have turns, the next one first.
        var senders: Deque<String> = []
        var count = 0
        var bytes = 0
    }

    private var backlogs: [String: Backlog] = [:]
    private var groups: [String: Group] = [:]
    /// The groups that have turns, the next one first.
    private var order: Deque<String> = []
    private var held: Set<String> = []
    private(set) var count = 0
    private var bytes = 0

    /// The group of a sender, by any name; it is asked when the first message of a sender begins to wait.
    var group: @LoopActor (String) -> String = { $0 }

    var isEmpty: Bool { count == 0 }

    func hasMessages(of sender: String) -> Bool { backlogs[sender] != nil }

    func waiting(of sender: String) -> WaitingMessages {
        let group = groups[backlogs[sender]?.group ?? groupName(of: sender)]
        return WaitingMessages(count: group?.count ?? 0, bytes: group?.bytes ?? 0, bytesOfAll: bytes)
    }

    func add(_ message: Message, of sender: String, bytes: Int = 0) {
        let group = backlogs[sender]?.group ?? groupName(of: sender)
        if backlogs[sender] == nil {
            backlogs[sender] = Backlog(group: group)
            if !held.contains(sender) { giveTurns(sender, group) }
        }
        backlogs[sender]?.messages.append((message, bytes))
        backlogs[sender]?.bytes += bytes
        if message.isAnswer { backlogs[sender]?.answers += 1 }
        groups[group, default: Group()].count += 1
        groups[group]?.bytes += bytes
        self.bytes += bytes
        count += 1
    }

    /// Gives a sender no turns until it is released. Its messages wait, in their order.
    func hold(_ sender: String) {
        if held.insert(sender).inserted { move(sender, to: sender) }
    }

    func release(_ sender: String) {
        if held.remove(sender) != nil { move(sender, to: groupName(of: sender)) }
    }

    /// Takes the message whose turn it is.
    ///
    /// - Parameter limit: passes over the groups that have more messages waiting; nil for none of them.
    func next(ofThoseWithAtMost limit: Int? = nil) -> Message? {
        guard let index = order.firstIndex(where: { limit == nil || (groups[$0]?.count ?? 0) <= (limit ?? 0) }) else {
            return nil
        }
        let group = order.remove(at: index)
        guard let sender = groups[group]?.senders.popFirst() else { return nil }
        if groups[group]?.senders.isEmpty == false { order.append(group) }
        let message = popFirst(of: sender)
        if backlogs[sender] != nil { giveTurns(sender, group) }
        return message
    }

    /// Takes an answer, or the next message that came before one from the same sender.
    func nextUpToAnswer() -> Message? {
        for group in order {
            let senders = groups[group]?.senders ?? []
            guard let sender = senders.first(where: { (backlogs[$0]?.answers ?? 0) > 0 }) else { continue }
            if backlogs[sender]?.messages.count == 1 { removeTurns(sender, group) }
            return popFirst(of: sender)
        }
        return nil
    }

    func removeAll() {
        (backlogs, groups) = ([:], [:])
        (order, held) = ([], [])
        (count, bytes) = (0, 0)
    }

    // MARK: Groups

    private func groupName(of sender: String) -> String { held.contains(sender) ? sender : group(sender) }

    /// A held sender's messages wait in a group of their own, without turns.
    private func move(_ sender: String, to group: String) {
        guard let backlog = backlogs.removeValue(forKey: sender) else { return }
        removeTurns(sender, backlog.group)
        change(backlog.group, count: -backlog.messages.count, bytes: -backlog.bytes)
        change(group, count: backlog.messages.count, bytes: backlog.bytes)
        backlogs[sender] = Backlog(
            group: group, messages: backlog.messages, bytes: backlog.bytes, answers: backlog.answers)
        if !held.contains(sender) { giveTurns(sender, group) }
    }

    private func giveTurns(_ sender: String, _ group: String) {
        if groups[group]?.senders.isEmpty != false { order.append(group) }
        groups[group, default: Group()].senders.append(sender)
    }

    private func removeTurns(_ sender: String, _ group: String) {
        guard let index = groups[group]?.senders.firstIndex(of: sender) else { return }
        groups[group]?.senders.remove(at: index)
        if groups[group]?.senders.isEmpty == true { order.removeAll { $0 == group } }
    }

    private func change(_ group: String, count: Int, bytes: Int) {
        groups[group, default: Group()].count += count
        groups[group]?.bytes += bytes
        if groups[group]?.count == 0 { groups[group] = nil }
    }

    private func popFirst(of sender: String) -> Message? {
        guard let group = backlogs[sender]?.group, let (message, size) = backlogs[sender]?.messages.popFirst() else {
            return nil
        }
        backlogs[sender]?.bytes -= size
        if message.isAnswer { backlogs[sender]?.answers -= 1 }
        if backlogs[sender]?.messages.isEmpty == true { backlogs[sender] = nil }
        change(group, count: -1, bytes: -size)
        bytes -= size
        count -= 1
        return message
    }
}

extension Message {
    var isAnswer: Bool { kind == .reply || kind == .error }
}
