// The core's reply becomes a method's: nothing, or one call.

import CallCore
import CallWire
import DBus
import EventLoop

extension Reply {
    /// Replies without values.
    @LoopActor
    func answer(_ invocation: VoidInvocation) {
        if case .failed(let error) = self { invocation.fail(error) } else { invocation.reply() }
    }

    /// Replies with the one call of a request.
    @LoopActor
    func answer(_ invocation: Invocation<ObjectPath>) {
        switch self {
        case .performed(_, let calls): invocation.reply(calls.first.map(ObjectPath.call) ?? .root)
        case .call(let call): invocation.reply(ObjectPath.call(call))
        case .failed(let error): invocation.fail(error)
        case .done: invocation.reply(.root)
        }
    }
}
