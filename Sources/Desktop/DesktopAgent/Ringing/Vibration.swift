// Vibration: what feedbackd does while a call rings.

import DBus
import EventLoop

/// Asks feedbackd, which phones have, to vibrate and to blink. The profile `quiet` keeps it from playing a sound: we do.
@LoopActor
final class Vibration {
    private static let service = "org.sigxcpu.Feedback"
    private static let path: ObjectPath = "/org/sigxcpu/Feedback"
    private static let timeout = 2_000

    private var bus: Bus?
    private var watch: NameWatch?
    private var isThere = false
    private var isWanted = false
    /// The id of what feedbackd does now.
    private var running: UInt32?

    func connected(to bus: Bus) {
        self.bus = bus
        watch = bus.watchName(Self.service) { [weak self] _ in
            self?.isThere = true
        } vanished: { [weak self] in
            self?.isThere = false
            self?.running = nil
        }
    }

    func disconnected() {
        bus = nil
        watch = nil
        isThere = false
        running = nil
    }

    func start() {
        isWanted = true
        guard isThere, running == nil else { return }
        let hints: VariantDictionary = ["profile": "quiet"]
        call("TriggerFeedback", "org.opencallkit.Phone", "phone-incoming-call", hints, Int32(0)) { [weak self] reply in
            guard let self, let id = try? reply.read(UInt32.self) else { return }
            running = id
            if !isWanted { end() }
        }
    }

    func stop() {
        isWanted = false
        end()
    }

    private func end() {
        guard let id = running else { return }
        running = nil
        call("EndFeedback", id) { _ in }
    }

    private func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, answered: @escaping @LoopActor (Message) -> Void
    ) {
        guard let bus,
            let message = try? Message.call(
                to: Self.service, at: Self.path, Self.service, member, repeat each arguments)
        else { return }
        message.autoStart = false
        bus.call(message, timeoutMilliseconds: Self.timeout) { result in
            if case .success(let reply) = result { answered(reply) }
        }
    }
}
