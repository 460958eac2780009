// Completion: called once with the result of a request, which its method call is answered with.

import CallModel
import DBus
import EventLoop

typealias Completion<Value> = @LoopActor (Result<Value, CallError>) -> Void

extension Result where Failure == CallError {
    /// Replies with the value, or with the error.
    @LoopActor
    func answer(_ invocation: Invocation<Success>) where Success: DBusType {
        switch self {
        case .success(let value): invocation.reply(value)
        case .failure(let error): invocation.fail(error)
        }
    }

    /// Replies without a value, or with the error.
    @LoopActor
    func answer(_ invocation: VoidInvocation) {
        if case .failure(let error) = self { invocation.fail(error) } else { invocation.reply() }
    }
}
