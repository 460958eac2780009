// Whether an error says that nobody is there, or somebody who is there says it.

import DBus
import EventLoop

extension MessageChannel {
    /// Hands on what was answered by `peer`, a unique name on the bus, or by the one at the other end of a link. An error of
    /// the bus about who has gone may be the peer's own words, too, handed on from somebody else: it is a refusal then.
    func verify(
        _ result: Result<Message, DBusError>, by peer: String?,
        then handler: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        guard case .failure(let error) = result, ProviderPeer.meansGone(error), isOpen else { return handler(result) }
        let refusal = Result<Message, DBusError>.failure(DBusError(DBusError.Name.failed, error.message))
        guard let peer else { return handler(self is PrivateLink ? refusal : result) }
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
