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
        let deadline: UInt64 = 0x1234_5678_9ABC_DEF0
        let wire = PerformWire(
            id: .uuid(blanks[0]), action: example, transaction: .uuid(blanks[2]), deadline: deadline)
        let message = try? template.call { (writer) throws(DBusError) in try wire.write(to: &writer) }
        message?.autoStart = false
        let texts = blanks.map(\.description)
        guard let message, let stencil = try? MessageStencil(message, texts: texts, numbers: [deadline]) else {
            return nil
        }
        self.stencil = stencil
        isEnd = kind == .end
    }

    /// The message for `wire`, whose action is of the kind that this was made for. Nil if there is more in it than what is
    /// filled in, or if it is named by other than UUIDs.
    public func filled(with wire: PerformWire) -> MessageStencil? {
        guard wire.part == .single, case .uuid(let id) = wire.id, case .uuid(let transaction) = wire.transaction else {
            return nil
        }
        if case .end(_, let reason) = wire.action, !reason.isEmpty { return nil }
        stencil.replaceNumber(0, with: wire.deadline)
        let isFilled =
            stencil.replaceText(0, with: id.ascii) && stencil.replaceText(1, with: wire.action.call.ascii)
            && stencil.replaceText(2, with: transaction.ascii)
        return isFilled ? stencil : nil
    }

    /// What a message says that is like the stencil; nil if there is other in it than UUIDs in lower case.
    public func wire(_ values: MessageStencil.Values) -> PerformWire? {
        guard let id = CallID(ascii: values.uuid(0)), let call = CallID(ascii: values.uuid(1)),
            let transaction = CallID(ascii: values.uuid(2))
        else { return nil }
        return PerformWire(
            id: .uuid(id), action: isEnd ? .end(call, reason: "") : .answer(call), transaction: .uuid(transaction),
            deadline: values.number(0))
    }
}

extension CallID {
    fileprivate init?(ascii: InlineArray<36, UInt8>?) {
        guard let ascii else { return nil }
        self.init(ascii: ascii)
    }
}
