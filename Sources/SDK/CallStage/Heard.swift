// What those outside hear, in the words of the core's transcript as far as it reaches them.

package import CallCore
package import CallModel
import DBus

/// What the pure core says that everybody hears: each provider, each who asked, and who watches the bus.
package struct Heard: Equatable {
    /// In order, by provider.
    package var providers: [ProviderID: [String]] = [:]
    /// By label. Exactly one each.
    package var replies: [Int: [String]] = [:]
    package var signals: [String] = []
    package var screeners: [ScreenerID: [String]] = [:]

    package init() {}

    /// Takes in what an input led to.
    ///
    /// - Parameters:
    ///   - label: the number that stands for a reply.
    ///   - isReject: whether a question was one that is answered without values.
    package mutating func add(_ effects: Effects, _ lines: [String], label: (ReplyID) -> Int?, isReject: (Int) -> Bool)
    {
        for (effect, line) in zip(effects, lines) {
            switch effect {
            case .perform(let action): tell(action.provider, Self.perform(action.action, action.part))
            case .timedOut(_, let id): tell(id, "timed-out")
            case .transactionEnded(_, let id, let failed): tell(id, Self.transactionEnded(failed: failed))
            case .reset(let id): tell(id, "reset")
            case .activateAudio(let id, let call): tell(id, "activate-audio \(call.scenarioText)")
            case .deactivateAudio(let id): tell(id, "deactivate-audio")
            case .reply(let id, let reply):
                guard let label = label(id) else { continue }
                replies[label, default: []].append(Self.text(of: reply, isReject: isReject(label)))
            case .callChanged: signals += Self.parts(of: line)
            case .callAdded, .callRemoved, .callEnded, .activeCallChanged, .resumeSuggested, .anomaly, .providerAdded,
                .providerChanged, .providerRemoved, .audioChanged:
                signals.append(line)
            case .callFiltered(let call):
                signals.append("filtered \(call.provider) \(call.reason.rawValue) by \(call.by.word)")
            case .screen(let call, let screener): screeners[screener, default: []].append("screen \(call.scenarioText)")
            case .lookUp, .arm, .disarm, .stop: break
            }
        }
    }

    private mutating func tell(_ provider: ProviderID, _ line: String) { providers[provider, default: []].append(line) }

    /// A start does not name its provider: it is the one that is asked.
    package static func perform(_ action: CallAction, _ part: ActionPart) -> String {
        let part: ActionPart = if case .first(let following) = part { .first(following.map(asked)) } else { part }
        return "perform \(asked(action))\(part.text)"
    }

    private static func asked(_ action: CallAction) -> CallAction {
        guard case .start(let call, var start) = action else { return action }
        start.provider = nil
        return .start(call, start)
    }

    package static func transactionEnded(failed: Bool) -> String { "transaction-ended\(failed ? " failed" : "")" }

    private static func text(of reply: Reply, isReject: Bool) -> String {
        switch reply {
        case .done: "done"
        case .call(let call): "call \(call.scenarioText)"
        case .performed(_, let calls): isReject ? "done" : performed(calls)
        case .failed(let error): "error \(CallError(error.code, error.messageAndReason))"
        }
    }

    package static func performed(_ calls: [CallID]) -> String {
        "performed \(calls.map(\.scenarioText).joined(separator: ","))"
    }

    /// Who a call is with changes on an interface of its own.
    private static func parts(of line: String) -> [String] {
        guard line.hasSuffix(" identity") else { return [line] }
        let rest = String(line.dropLast(" identity".count))
        let words = rest.split(separator: " ")
        let identity = "identity \(words.dropFirst().first ?? "")"
        return words.count > 2 ? [rest, identity] : [identity]
    }
}
