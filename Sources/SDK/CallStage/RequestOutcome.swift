// RequestOutcome: the reply to a request or a report.

package import CallCore
package import CallModel
import CallWire
import DBus
import EventLoop

package enum RequestOutcome: Sendable, Equatable {
    case done
    /// The call that a report created.
    case call(CallID)
    /// One call per requested action.
    case performed([CallID])
    case failed(CallError)
    /// An error or an answer outside the contract.
    case unexpected(String)

    /// - Parameter isReject: whether the request was Reject, whose answer has no values.
    package init(_ reply: Reply, isReject: Bool) {
        switch reply {
        case .done: self = .done
        case .call(let call): self = .call(call)
        case .performed(_, let calls): self = isReject ? .done : .performed(calls)
        case .failed(let error): self = .failed(CallError(error.code, error.messageAndReason))
        }
    }

    /// Returns nil if the link was closed.
    @LoopActor init?(_ result: Result<Message, DBusError>) {
        switch result {
        case .failure(let error) where error.name == DBusError.Name.disconnected: return nil
        case .failure(let error): self = CallError(error).map { .failed($0) } ?? .unexpected("\(error)")
        case .success(let message) where message.signature.isEmpty: self = .done
        case .success(let message):
            if let call = (try? message.read(ObjectPath.self)).flatMap({ Contract.call(at: $0.text) }) {
                self = .call(call)
            } else if let (_, paths) = try? message.read(String.self, [ObjectPath].self) {
                self = .performed(paths.compactMap { Contract.call(at: $0.text) })
            } else {
                self = .unexpected("an answer of type \(message.signature)")
            }
        }
    }
}

/// The text in transcripts.
extension RequestOutcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .done: "done"
        case .call(let call): "call \(call.scenarioText)"
        case .performed(let calls): "performed \(calls.map(\.scenarioText).joined(separator: ","))"
        case .failed(let error): "error \(error)"
        case .unexpected(let text): "unexpected: \(text)"
        }
    }
}
