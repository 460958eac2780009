// Causes in words, for Explain and for the log: the names that the bus knows, and who is behind them.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    /// The one text of a cause.
    func text(of cause: Cause) -> String {
        cause.text(client: { clients.text(of: $0, at: cause.at) }, transaction: { identifiers.text(of: $0) })
    }

    /// What Explain returns of a call, oldest cause first.
    func explanation(of call: CallID) -> [VariantDictionary] {
        machine.causes(of: call).map { cause in
            var wire: VariantDictionary = [
                "at": .uint64(cause.at.date), "state": .string(cause.state.rawValue),
                "event": .string(cause.event.word),
                "by": .string(cause.origin.rawValue), "text": .string(text(of: cause)),
            ]
            wire.set("rule", cause.rule?.rawValue)
            wire.set("call", cause.newcomer.map(ObjectPath.call))
            wire.set("transaction", cause.transaction.map { identifiers.text(of: $0) })
            return wire
        }
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
