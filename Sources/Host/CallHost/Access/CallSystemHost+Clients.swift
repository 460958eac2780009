// Identifies each client of the bus when its first call arrives. Its calls wait until then.

import CallCore
import DBus
import EventLoop
import Logging

extension CallSystemHost {
    /// Begins to identify a client, unless that has been done.
    ///
    /// - Returns: false if too many clients are being identified.
    func identify(_ client: String, on bus: Bus) -> Bool {
        if clients.knows(client) { return true }
        guard let entry = clients.add(client, at: clock.now, mentioned: { machine.mentionedClients }) else {
            return false
        }
        bus.hold(client)
        inspector.inspect(client, on: bus) { [weak self, weak bus] identity in
            if let self, clients.settle(entry, identity) { logIdentity(of: client, identity) }
            bus?.release(client)
        }
        return true
    }

    /// Passes on who a client of the bus is, also one that has asked for nothing yet and so is not kept.
    func whenIdentified(_ client: String, _ completion: @escaping @LoopActor (ClientIdentity) -> Void) {
        if let identity = clients.identity(of: client) { return completion(identity) }
        guard let bus else { return completion(ClientIdentity(.unknown("there is no bus"))) }
        inspector.inspect(client, on: bus, completion: completion)
    }

    private func logIdentity(of client: String, _ identity: ClientIdentity) {
        switch identity.kind {
        case .user: log.info("client \(client) is \(identity.text(of: client))")
        case .app: log.info("client \(client) is \(identity.text(of: client)), a sandboxed app")
        case .unknown(let reason):
            notices.log(
                .notice, "client \(client) is \(identity.text(of: client)): \(reason), so it counts as sandboxed",
                by: identity.owner(client))
        }
    }
}
