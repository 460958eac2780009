// Questions that come before the plugins and the store have introduced themselves.

import CallModel
import CallWire
import DBus
import EventLoop

/// The question that started the daemon by D-Bus activation arrives before the providers that it asks for. A question for
/// objects or properties waits until no plugin and no store is awaited any more, or until time is over.
@LoopActor
final class EarlyQuestions {
    private static let capacity = 256

    private unowned let host: CallSystemHost
    private var waiting: [@LoopActor () -> Void] = []
    private var timer: (any HostTimer)?

    init(host: CallSystemHost) { self.host = host }

    /// Keeps a question that cannot be answered in full yet.
    /// - Returns: false if it is to be answered now.
    func keep(_ message: Message, on channel: any MessageChannel) -> Bool {
        guard waiting.count < Self.capacity, Self.isQuestion(message), let end = host.earlyRequests.currentEnd,
            host.plugins.areAwaited || host.store.isAwaited
        else { return false }
        waiting.append { [weak self, weak channel] in
            if let self, let channel { host.tree.handle(message, on: channel) }
        }
        if timer == nil { timer = host.clock.timer(at: end) { [weak self] in self?.admit() } }
        return true
    }

    /// Answers what waits, unless it is still too early.
    func admit() {
        guard !waiting.isEmpty else { return }
        if host.earlyRequests.currentEnd != nil, host.plugins.areAwaited || host.store.isAwaited { return }
        timer = nil
        let questions = waiting
        waiting = []
        for question in questions { question() }
    }

    private static func isQuestion(_ message: Message) -> Bool {
        switch (message.interface, message.member) {
        case (StandardInterface.objectManager, "GetManagedObjects"), (StandardInterface.properties, "Get"),
            (StandardInterface.properties, "GetAll"), (Contract.callSystem, "FindProviders"):
            true
        default: false
        }
    }
}
