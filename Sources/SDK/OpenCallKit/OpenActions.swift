// OpenActions: what the host has asked and the provider has not answered yet.

internal import CallModel
internal import DBus
internal import EventLoop

/// The calls of Perform that are open, by action id.
@LoopActor
final class OpenActions {
    private struct Open {
        let action: CXAction
        let invocation: Invocation<VariantDictionary>
    }

    /// How many timed-out actions are kept, so that the host can be told of a late answer.
    private static let maximumLate = 64

    private var open: [WireID: Open] = [:]
    private var late: [(id: WireID, invocation: Invocation<VariantDictionary>)] = []

    nonisolated init() {}

    func add(_ action: CXAction, _ id: WireID, _ invocation: Invocation<VariantDictionary>) {
        open[id] = Open(action: action, invocation: invocation)
    }

    /// Sends the provider's answer: fulfilment as the reply, failure as the error.
    func answer(_ id: WireID, _ outcome: CXAction.Outcome) {
        let invocation: Invocation<VariantDictionary>
        if let found = open.removeValue(forKey: id) {
            invocation = found.invocation
        } else if let index = late.firstIndex(where: { $0.id == id }) {
            invocation = late.remove(at: index).invocation
        } else {
            return
        }
        switch outcome {
        case .fulfilled(let result): result.answer(invocation)
        case .failed(let error): invocation.fail(error)
        }
    }

    /// - Returns: the action, which has failed now; nil if it is not open.
    func timeOut(_ id: WireID) -> CXAction? {
        guard let found = open.removeValue(forKey: id) else { return nil }
        found.action.timeOut()
        late.append((id, found.invocation))
        if late.count > Self.maximumLate { Self.silence(late.removeFirst().invocation) }
        return found.action
    }

    /// Forgets everything; nothing is answered.
    func abandonAll() {
        for found in open.values {
            found.action.abandon()
            Self.silence(found.invocation)
        }
        for found in late { Self.silence(found.invocation) }
        open = [:]
        late = []
    }

    private static func silence(_ invocation: Invocation<VariantDictionary>) {
        invocation.context.message.expectsReply = false
    }
}
