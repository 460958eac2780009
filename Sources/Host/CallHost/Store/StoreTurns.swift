// StoreTurns: what clients ask of the store, a few questions at a time.

import CallModel
import DBus
import EventLoop

/// Questions of clients that wait for the store. The clients take turns, each with one question in the store at a time, so
/// that nobody waits for all that another one asks, and what the host itself asks, such as who calls, waits for few.
@LoopActor
final class StoreTurns {
    /// Asks the store, and calls `done` once when the answer has come, or does not come.
    typealias Ask = @LoopActor (_ done: @escaping @LoopActor () -> Void) -> Void

    private struct Question {
        let client: String
        let isAwaited: Bool
        let ask: Ask
    }

    /// A client's turn, which lasts until its question is answered.
    @LoopActor private final class Turn {
        let client: String
        var isOver = false
        /// Takes away its place in the store; nil once it has none.
        var timer: LoopTimer?

        init(of client: String) { self.client = client }
    }

    private let waiting = TurnQueue<Question>()
    /// How many questions of each client have no answer.
    private var unanswered: [String: Int] = [:]
    private var places = StoreTurns.maximumPlaces
    private var isAdvancing = false

    /// The most questions in the store, but for those that take long.
    private static let maximumPlaces = 2
    /// How long a question keeps its place, in milliseconds. One that takes longer waits for the disk, and questions of others
    /// are asked beside it.
    private static let patience = 100
    /// The most questions of one client, and the most bytes of their arguments.
    private static let share = 16
    private static let shareOfBytes = 256 << 10
    /// When all clients together have more bytes waiting than this, each may have one question.
    private static let manyBytes = 8 << 20

    /// Asks when it is the client's turn, at once if nothing waits.
    ///
    /// - Parameters:
    ///   - bytes: the size of the arguments.
    ///   - isAwaited: whether the client's next question waits for the answer. Not for one that takes minutes.
    /// - Throws: `LimitsExceeded` if the client has too much waiting.
    func add(of client: String, bytes: Int = 0, isAwaited: Bool = true, _ ask: @escaping Ask) throws(CallError) {
        let (own, room) = (unanswered[client, default: 0], waiting.waiting(of: client))
        let share = room.bytesOfAll > Self.manyBytes ? 1 : Self.share
        guard own < share, room.bytes <= Self.shareOfBytes else {
            throw CallError(
                .limitsExceeded,
                "client \(client) has \(own) requests of \(room.bytes) bytes that wait for callkit-store, expected at most "
                    + "\(share) requests and \(Self.shareOfBytes) bytes")
        }
        unanswered[client] = own + 1
        let question = Question(client: client, isAwaited: isAwaited, ask: ask)
        waiting.add(question, of: client, bytes: bytes, isAnswer: false)
        advance()
    }

    /// Asks as many questions as there are places.
    private func advance() {
        // An answer may come while its question is asked.
        guard !isAdvancing else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        while places > 0, let question = waiting.next() {
            let turn = Turn(of: question.client)
            places -= 1
            waiting.hold(turn.client)
            turn.timer = LoopTimer(afterMilliseconds: Self.patience) { [weak self] in self?.leavePlace(turn) }
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
        waiting.release(turn.client)
        leavePlace(turn)
        advance()
    }

    private func answered(_ client: String) {
        let rest = unanswered[client, default: 1] - 1
        unanswered[client] = rest > 0 ? rest : nil
    }
}
