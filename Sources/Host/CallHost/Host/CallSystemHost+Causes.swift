// Causes in words, for Explain and for the log: the names that the bus knows, and who is behind them.

import CallCore
import CallModel
import EventLoop
import Logging

extension CallSystemHost {
    /// The one text of a cause.
    func text(of cause: Cause) -> String {
        cause.text(client: { clients.text(of: $0, at: cause.at) }, transaction: { identifiers.text(of: $0) })
    }

    /// What Explain returns: the time of day before each cause, oldest first.
    func explanation(of call: CallID) -> [String] {
        machine.causes(of: call).map { "\(WallTime(microseconds: $0.at.date).timeOfDay) \(text(of: $0))" }
    }

    /// Asks who is behind a client, so that it can be told later. The request does not wait for it.
    func noteClient(of request: Request) {
        guard case .client(let name) = request.requester, !clients.knows(name) else { return }
        let log = log
        clients.note(
            name, on: bus, at: clock.now, mentioned: { machine.mentionedClients },
            found: { log.info("client \(name) is process \($0)") })
    }

    /// Logs what calls there are and how they have come to be as they are.
    func logStates(_ effects: Effects) {
        guard log.logLevel <= .info else { return }
        for effect in effects.tell {
            switch effect {
            case .callAdded(let call): logState(of: call.id)
            case .callChanged(let call, let changes) where changes.contains(.state): logState(of: call.id)
            default: break
            }
        }
    }

    private func logState(of call: CallID) {
        guard let cause = machine.latestCause(of: call) else { return }
        log.info("call \(call) \(self.text(of: cause))")
    }
}
