// Perform as most are: an answer or an end, to the same provider as the one before.

public import CallModel
public import DBus
public import EventLoop

/// Makes Perform for one kind of action once; after that, only identifiers and the deadline are filled in.
@LoopActor
public struct PerformStencil {
    /// Perform of the kind, with other values.
    public let stencil: MessageStencil
    private let isEnd: Bool

    /// Nil for a kind whose actions say more than which call they are about.
    ///
    /// - Parameter template: Perform of the provider.
    public init?(for kind: ActionKind, _ template: MessageTemplate) {
        let blanks = (1...3).map { CallID(high: 0, low: $0) }
        let example: CallAction
        switch kind {
        case .answer: example = .answer(blanks[1])
        case .end: example = .end(blanks[1], reason: "")
        default: return nil
        }
        let texts = blanks.map(\.description)
        let deadline: UInt64 = 0x1234_5678_9ABC_DEF0
        let wire = PerformWire(id: texts[0], action: example, transaction: texts[2], deadline: deadline)
        let message = try? template.call { (writer) throws(DBusError) in try wire.write(to: &writer) }
        message?.autoStart = false
        guard let message, let stencil = try? MessageStencil(message, texts: texts, numbers: [deadline]) else {
            return nil
        }
        self.stencil = stencil
        isEnd = kind == .end
    }

    /// The message for `wire`, whose action is of the kind that this was made for. Nil if there is more in it than what is
    /// filled in, or if an identifier is not as long as a UUID.
    public func filled(with wire: PerformWire) -> MessageStencil? {
        guard wire.part == .single else { return nil }
        if case .end(_, let reason) = wire.action, !reason.isEmpty { return nil }
        stencil.replaceNumber(0, with: wire.deadline)
        let isFilled =
            stencil.replaceText(0, with: wire.id) && stencil.replaceText(1, with: wire.action.call.description)
            && stencil.replaceText(2, with: wire.transaction)
        return isFilled ? stencil : nil
    }

    /// What a message says that is like the stencil; nil if its call is no UUID.
    public func wire(_ values: MessageStencil.Values) -> PerformWire? {
        guard let call = CallID(values.texts[1]) else { return nil }
        return PerformWire(
            id: values.texts[0], action: isEnd ? .end(call, reason: "") : .answer(call), transaction: values.texts[2],
            deadline: values.numbers[0])
    }
}
