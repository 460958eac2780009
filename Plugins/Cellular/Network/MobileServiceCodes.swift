// MobileServiceCodes: service codes on their way to the network.

import EventLoop
import OpenCallKit

/// What the network says to a service code or a reply.
struct NetworkAnswer: Hashable, Sendable {
    var text: String
    /// Whether it waits for a reply.
    var asks: Bool
}

/// Sends service codes beside the calls, which do not wait for them.
@LoopActor
final class MobileServiceCodes {
    private let modem: any VoiceModem
    /// The exchange that is being ended.
    private var ending: Task<Void, Never>?
    /// Whether the modem may be busy with one.
    var isUnderWay: Bool { underWay > 0 }
    private var underWay = 0
    /// Counts the exchanges that were ended.
    private var ended = 0

    init(_ modem: any VoiceModem) { self.modem = modem }

    /// A code waits until the exchange before it has been ended.
    func perform(_ action: CXServiceCodeAction) {
        let before = ended
        Task { @LoopActor in
            await ending?.value
            guard !action.isComplete else { return }
            guard before == ended else { return action.fail("it was cancelled") }
            underWay += 1
            defer { underWay -= 1 }
            do throws(ModemFailure) {
                let answer = try await modem.exchange(action.text, isReply: action.isReply)
                if !action.isComplete { action.fulfill(with: answer.text, asksForReply: answer.asks) }
            } catch {
                // After a reset, nobody waits for the answer.
                guard !action.isComplete else { return }
                // The service may take the exchange to go on, such as after an answer that it cannot read.
                if before == ended { cancel() }
                switch error {
                case .refused(let text): action.fail(text)
                case .notReached, .gone: action.fail(as: .unreachable, "the modem does not answer")
                }
            }
        }
    }

    func cancel() {
        ended += 1
        let before = ending
        ending = Task { @LoopActor in
            await before?.value
            await modem.cancelExchange()
        }
    }
}
