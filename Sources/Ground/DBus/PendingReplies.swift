// PendingReplies: the calls of one channel that wait for their answers.

internal import EventLoop

@LoopActor
final class PendingReplies {
    typealias Handler = @LoopActor (Result<Message, DBusError>) -> Void

    /// What became of an answer.
    enum Delivery {
        case delivered
        /// It came from somebody who was not asked.
        case forged
        /// No call waits for it.
        case unmatched
    }

    private struct Pending {
        let destination: String?
        let handler: Handler
        let timer: LoopTimer?
    }

    private var pending: [UInt32: Pending] = [:] {
        didSet { if pending.isEmpty { none.open() } else if none.isOpen { none.close() } }
    }
    /// How many calls have waited for an answer so far.
    private(set) var count = 0
    /// Open while no call waits for its answer.
    let none = Gate(isOpen: true)

    func add(_ serial: UInt32, to destination: String? = nil, timeout: Duration, _ handler: @escaping Handler) {
        count += 1
        var timer: LoopTimer?
        if timeout > .zero {
            timer = LoopTimer(after: timeout) { [weak self] in
                let text = "no answer within \(timeout.milliseconds) ms"
                self?.pending.removeValue(forKey: serial)?.handler(
                    .failure(DBusError(DBusError.Name.timeout, text)))
            }
        }
        pending[serial] = Pending(destination: destination, handler: handler, timer: timer)
    }

    /// Hands an answer to the call that waits for it.
    ///
    /// - Parameter isGenuine: whether the answer comes from the destination of the call.
    func deliver(_ message: Message, isGenuine: (String?) -> Bool = { _ in true }) -> Delivery {
        let serial = message.replySerial
        guard let waiting = pending[serial] else { return .unmatched }
        guard isGenuine(waiting.destination) else { return .forged }
        pending[serial] = nil
        waiting.timer?.cancel()
        waiting.handler(message.error.map { .failure($0) } ?? .success(message))
        return .delivered
    }

    func failAll(_ error: DBusError) {
        let all = pending
        pending = [:]
        for serial in all.keys.sorted() {
            all[serial]?.timer?.cancel()
            all[serial]?.handler(.failure(error))
        }
    }

    /// Answers a call that was never sent, after the caller has returned.
    static func failLater(_ handler: @escaping Handler, _ error: DBusError) {
        Loop.shared.post { handler(.failure(error)) }
    }
}
