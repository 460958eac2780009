// Answer: the answer of a plugin to a call, if any. PendingAnswer: a call whose answer is awaited.

import DBus
import EventLoop

enum Answer: Sendable {
    case fulfilled(after: Duration)
    case refused(DBusError)
    /// No answer in time.
    case silent(after: Duration)
    /// The link is closed.
    case gone

    /// Whether the plugin answered.
    var isGiven: Bool {
        switch self {
        case .fulfilled, .refused: true
        case .silent, .gone: false
        }
    }
}

extension Duration {
    /// Whole milliseconds, as in `25 ms`.
    var text: String { "\(milliseconds) ms" }
}

/// A call on its way. An answer after the time limit is kept as late.
@LoopActor
final class PendingAnswer {
    /// For people: the kind of the action, or the member.
    let subject: String
    /// The action's id for the plugin; nil for any call but Perform.
    let actionID: String?
    private let asked = MonotonicTime.now
    private var timer: LoopTimer?
    private var given: Answer?
    private var waiter: CheckedContinuation<Answer, Never>?
    /// The time between the time limit and a late answer.
    private(set) var lateness: Duration?
    private let limit: Duration
    private let onSilence: @LoopActor () -> Void

    init(
        _ subject: String, actionID: String? = nil, within limit: Duration, onSilence: @escaping @LoopActor () -> Void
    ) {
        self.subject = subject
        self.actionID = actionID
        self.limit = limit
        self.onSilence = onSilence
        timer = LoopTimer(after: limit) { [weak self] in self?.timeOut() }
    }

    /// Whether the answer came in time and is no error.
    var isFulfilled: Bool { if case .fulfilled = given { true } else { false } }

    /// Whether there is an answer, or the time limit has passed.
    var isSettled: Bool { given != nil }

    func answer() async -> Answer {
        if let given { return given }
        return await withCheckedContinuation { waiter = $0 }
    }

    /// - Parameter isOpen: whether the link is open.
    func answered(_ result: Result<Message, DBusError>, isOpen: Bool) {
        let elapsed = MonotonicTime.now.duration(since: asked)
        guard given == nil else {
            if isOpen { lateness = elapsed - limit }
            return
        }
        switch result {
        case .success: settle(.fulfilled(after: elapsed))
        case .failure where !isOpen: settle(.gone)
        case .failure(let error): settle(.refused(error))
        }
    }

    private func timeOut() {
        guard given == nil else { return }
        onSilence()
        settle(.silent(after: limit))
    }

    private func settle(_ answer: Answer) {
        timer = nil
        given = answer
        waiter?.resume(returning: answer)
        waiter = nil
    }
}
