// ForwardedMethod: a method whose calls may be answered elsewhere.

internal import EventLoop

/// A method whose handler gets the call unread, and answers it or forwards it with `CallContext.forward`.
public struct ForwardedMethod<Object: AnyObject>: Sendable {
    let member: Member<Object>

    public init<Failure: Error>(
        _ declared: MethodSignature,
        _ handler: @escaping @LoopActor (Object, CallContext) throws(Failure) -> Void
    ) {
        let method = MethodDescription(
            inputs: declared.inputs, outputs: declared.outputs,
            inputSignature: declared.inputs.map(\.signature).joined()
        ) { object, context in
            try handler(unsafeDowncast(object, to: Object.self), context)
        }
        member = Member(description: MemberDescription(declared.name, [:], deprecated: false, .method(method)))
    }
}

extension InterfaceBuilder {
    public static func buildExpression(_ method: ForwardedMethod<Object>) -> [Member<Object>] { [method.member] }
}

extension CallContext {
    /// Makes the same call on another channel, and answers this one with the answer or the error from there.
    ///
    /// - Parameters:
    ///   - timeout: how long the answer may take.
    ///   - explain: makes the error to answer with if the call did not arrive or was not answered in time.
    ///   - done: called when this call has been answered.
    public func forward(
        to other: any MessageChannel, timeout: Duration,
        explain: @escaping @LoopActor (DBusError) -> any Error, done: @escaping @LoopActor () -> Void = {}
    ) {
        let context = withoutArguments
        do throws(DBusError) {
            let call = try message.copy()
            call.expectsReply = true
            other.call(call, timeout: timeout) { result in
                switch result {
                case .success(let answer): context.answer { try answer.copy(answering: context.message) }
                case .failure(let error): context.fail(error.isOfTheChannel ? explain(error) : error)
                }
                done()
            }
        } catch {
            fail(explain(error))
            done()
        }
    }
}

extension ObjectTree {
    /// Sends on a signal that an object elsewhere has emitted, to all channels that get the signals of this tree.
    public func relay(_ signal: Message) {
        broadcast(of: signal.path ?? .root) { () throws(DBusError) in try signal.copy() }
    }
}

extension DBusError {
    /// Whether the call was not answered, as opposed to refused by its receiver.
    fileprivate var isOfTheChannel: Bool {
        [Name.disconnected, Name.timeout, Name.noReply, Name.limitsExceeded, Name.noMemory].contains(name)
    }
}
