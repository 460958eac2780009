// RequestReader: requests as clients and plugins write them.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Reads requests with actions, and has them permitted.
@LoopActor
struct RequestReader {
    unowned let context: HostContext
    unowned let clients: any ClientGate

    /// The request for one new call, which is answered when that has been started.
    func startRequest(
        _ arguments: VariantDictionary, _ options: VariantDictionary, _ caller: CallContext
    ) throws(CallError) -> Request {
        let entry = TransactionWire.Entry(ActionKind.start.rawValue, arguments)
        let start = try TransactionWire.action(from: entry, newCall: { context.newCallID() })
        var request = try request([start], RequestOptions(wire: options), caller)
        request.replyMode = .performed
        let known = TransactionWire.keys(of: ActionKind.start.rawValue).union(RequestOptions.keys)
        clients.noteUnknownKeys(in: arguments, besides: known, from: caller)
        return request
    }

    func request(
        _ entries: [TransactionWire.Entry], _ options: VariantDictionary, _ caller: CallContext
    ) throws(CallError) -> Request {
        let options = try RequestOptions(wire: options)
        return try request(
            TransactionWire.actions(from: entries, newCall: { context.newCallID() }), options, caller)
    }

    private func request(
        _ actions: [CallAction], _ options: RequestOptions, _ caller: CallContext
    ) throws(CallError) -> Request {
        var request = try clients.request(actions, from: caller)
        request.conflict = options.conflict
        request.replyMode = options.replyMode
        request.timeout = options.timeout
        return try clients.permitted(request, caller)
    }
}

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
