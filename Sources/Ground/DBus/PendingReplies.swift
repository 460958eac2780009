// PendingReplies: the calls of one channel that wait for their answers.

internal import EventLoop

@LoopActor
final class PendingReplies {
    typealias Handler = @LoopActor (Result<Message, DBusError>) -> Void

    private struct Pending {
        let handler: Handler
        let timer: LoopTimer?
    }

    private var pending: [UInt32: Pending] = [:]

    func add(_ serial: UInt32, timeoutMilliseconds: Int, _ handler: @escaping Handler) {
        var timer: LoopTimer?
        if timeoutMilliseconds > 0 {
            timer = LoopTimer(afterMilliseconds: timeoutMilliseconds) { [weak self] in
                let text = "no answer within \(timeoutMilliseconds) ms"
                self?.pending.removeValue(forKey: serial)?.handler(
                    .failure(DBusError(DBusError.Name.timeout, text)))
            }
        }
        pending[serial] = Pending(handler: handler, timer: timer)
    }

    /// Hands an answer to the call that waits for it. Returns false if no call does.
    func deliver(_ message: Message) -> Bool {
        guard let waiting = pending.removeValue(forKey: message.replySerial) else { return false }
        waiting.timer?.cancel()
        waiting.handler(message.error.map { .failure($0) } ?? .success(message))
        return true
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
