// Invocation: a method call that is answered later.

public import EventLoop

/// A call of a `DeferredMethod`, to be answered once. Later answers are ignored. A call that is dropped unanswered is
/// answered with `NoReply`.
@LoopActor
public final class Invocation<each Out: DBusType> {
    public let context: CallContext
    public private(set) var isAnswered = false

    /// Keeps of the call what is needed to answer it.
    public init(_ context: CallContext) {
        self.context = context.withoutArguments
    }

    deinit {
        guard !isAnswered else { return }
        let context = context
        Loop.shared.finish { context.fail(DBusError(DBusError.Name.noReply, "the call was dropped")) }
    }

    /// Answers the call. If a value cannot travel, the answer is an error.
    public func reply(_ values: repeat each Out) {
        guard !isAnswered else { return }
        isAnswered = true
        context.answer { try context.message.reply(repeat each values) }
    }

    /// Returns an answer without values. `Message.append` puts them into it, on any thread: many of them take a while.
    public func emptyAnswer() throws(DBusError) -> Message { try context.message.emptyReply() }

    /// Answers the call with a message of `emptyAnswer`, which has the values now.
    public func send(_ answer: Message) {
        guard !isAnswered else { return }
        isAnswered = true
        context.answer { answer }
    }

    /// Answers the call with what `work` returns, or with the error that it throws.
    public func answer(by work: @escaping @LoopActor () async throws -> (repeat each Out)) {
        Task {
            do {
                let values = try await work()
                reply(repeat each values)
            } catch {
                fail(error)
            }
        }
    }

    /// Answers the call with an error: `DBusError` and `DBusErrorConvertible` keep their names, others become `Failed`.
    public func fail(_ error: any Error) {
        guard !isAnswered else { return }
        isAnswered = true
        context.fail(error)
    }
}

/// An invocation that is answered with nothing.
public typealias VoidInvocation = Invocation<>
