// StoreTurns: what clients ask of the store, a few questions at a time.

import CallModel
import EventLoop

/// Questions of clients that wait for the store. The clients take turns, each with one question in the store at a time, so
/// that nobody waits for all that another one asks, and what the host itself asks, such as who calls, waits for few. A
/// client that has more to ask rests after each answer, so that it leaves half of the time to calls that ring meanwhile.
@LoopActor
final class StoreTurns {
    /// Asks the store, and calls `done` once when the answer has come, or does not come.
    typealias Ask = @LoopActor (_ done: @escaping @LoopActor () -> Void) -> Void

    private struct Question {
        let bytes: Int
        let isAwaited: Bool
        let ask: Ask
    }

    /// A client with questions.
    @LoopActor private final class Client {
        let name: String
        /// Those that wait, in order.
        var waiting: [Question] = []
        /// How many have no answer.
        var unanswered = 0
        /// Lets it ask again; nil unless it rests.
        var rest: LoopTimer?
        var bytes: Int { waiting.reduce(0) { $0 + $1.bytes } }

        init(_ name: String) { self.name = name }
    }

    /// A client's turn, which lasts until its question is answered.
    @LoopActor private final class Turn {
        let client: Client
        let start = MonotonicTime.now
        var isOver = false
        /// Takes away its place in the store; nil once it has none.
        var timer: LoopTimer?

        init(of client: Client) { self.client = client }
    }

    private var clients: [String: Client] = [:]
    /// Those that wait for their turn, the next one first.
    private var queue: [Client] = []
    /// Whose turn it is, or was a moment ago.
    private var asking: Set<String> = []
    private var bytesOfAll = 0
    private var places = StoreTurns.maximumPlaces
    private var isAdvancing = false

    /// The most questions in the store, but for those that take long.
    private static let maximumPlaces = 2
    /// How long a question keeps its place. One that takes longer waits for the disk, and questions of others
    /// are asked beside it.
    private static let placeTime = Duration.milliseconds(100)
    /// How long a client rests at least before its next question. After one that took longer, it rests as long as
    /// that took, but no longer than `placeTime`.
    private static let shortestRest = Duration.milliseconds(1)
    /// The most questions of one client, and the most bytes of their arguments.
    private static let share = 128
    private static let shareOfBytes = 256 << 10
    /// When all clients together have more bytes waiting than this, each may have one question.
    private static let manyBytes = 8 << 20

    /// Asks when it is the client's turn, at once if nothing waits.
    ///
    /// - Parameters:
    ///   - name: who asks, as an error names it.
    ///   - bytes: the size of the arguments.
    ///   - isAwaited: whether the client's next question waits for the answer. Not for one that takes minutes.
    /// - Throws: `LimitsExceeded` if the client has too much waiting.
    func add(of name: String, bytes: Int = 0, isAwaited: Bool = true, _ ask: @escaping Ask) throws(CallError) {
        let client = clients[name] ?? Client(name)
        let share = bytesOfAll > Self.manyBytes ? 1 : Self.share
        guard client.unanswered < share, client.bytes <= Self.shareOfBytes else {
            throw CallError(
                .limitsExceeded,
                "\(name) has \(client.unanswered) requests that wait for callkit-store, with \(client.bytes) bytes, expected at "
                    + "most \(share) requests and \(Self.shareOfBytes) bytes")
        }
        clients[name] = client
        client.unanswered += 1
        client.waiting.append(Question(bytes: bytes, isAwaited: isAwaited, ask: ask))
        bytesOfAll += bytes
        if client.waiting.count == 1, !asking.contains(name) { queue.append(client) }
        advance()
    }

    /// Asks as many questions as there are places.
    private func advance() {
        // An answer may come while its question is asked.
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while places > 0, !queue.isEmpty {
            let turn = Turn(of: queue.removeFirst())
            let question = turn.client.waiting.removeFirst()
            bytesOfAll -= question.bytes
            places -= 1
            asking.insert(turn.client.name)
            turn.timer = LoopTimer(after: Self.placeTime) { [weak self] in self?.leavePlace(turn) }
            question.ask { [weak self] in
                self?.answered(turn.client)
                self?.end(turn)
            }
            if !question.isAwaited { end(turn) }
        }
    }

    private func leavePlace(_ turn: Turn) {
        guard turn.timer != nil else { return }
        turn.timer = nil
        places += 1
        advance()
    }

    private func end(_ turn: Turn) {
        guard !turn.isOver else { return }
        turn.isOver = true
        if turn.client.waiting.isEmpty {
            asking.remove(turn.client.name)
        } else {
            let rest = max(Self.shortestRest, min(MonotonicTime.now.duration(since: turn.start), Self.placeTime))
            turn.client.rest = LoopTimer(after: rest) { [weak self] in self?.endRest(of: turn.client) }
        }
        leavePlace(turn)
        advance()
    }

    private func endRest(of client: Client) {
        client.rest = nil
        asking.remove(client.name)
        queue.append(client)
        advance()
    }

    private func answered(_ client: Client) {
        client.unanswered -= 1
        if client.unanswered == 0 { clients[client.name] = nil }
    }
}
