// Tells the errors that mean that a peer is gone from the refusals of a peer that is there.

import DBus
import EventLoop

extension MessageChannel {
    /// Hands on the answer of `peer`, a unique name on the bus, or of the far end of a link if it is nil.
    ///
    /// An error that means that the peer is gone becomes a plain failure if the peer is still there: it has passed on an error
    /// about another process then.
    func verify(
        _ result: Result<Message, DBusError>, by peer: String?,
        then handler: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        guard case .failure(let error) = result, ProviderPeer.meansGone(error), isOpen else { return handler(result) }
        let refusal = Result<Message, DBusError>.failure(DBusError(DBusError.Name.failed, error.message))
        guard let peer else { return handler(isPrivate ? refusal : result) }
        let question = try? Message.call(
            to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "NameHasOwner", peer)
        guard let question else { return handler(result) }
        call(question, timeoutMilliseconds: 5_000) { answer in
            var isThere = false
            if case .success(let reply) = answer { isThere = (try? reply.read(Bool.self)) ?? false }
            handler(isThere ? refusal : result)
        }
    }
}
