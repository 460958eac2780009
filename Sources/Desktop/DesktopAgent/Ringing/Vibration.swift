// Vibration: what feedbackd does while a call rings.

import DBus
import EventLoop

/// Asks feedbackd, which phones have, to vibrate and to blink. The profile `quiet` keeps it from playing a sound: we do.
@LoopActor
final class Vibration {
    private static let service = "org.sigxcpu.Feedback"
    private static let path: ObjectPath = "/org/sigxcpu/Feedback"
    private static let timeout = Duration.seconds(2)

    /// Whether feedbackd's profile lets no sound be heard: the switch of a phone. Calls are shown all the same.
    private(set) var isMute = false
    /// Called when `isMute` has changed.
    var onMuteChanged: (@LoopActor () -> Void)?

    private var bus: Bus?
    private var watch: NameWatch?
    private var profile: Subscription?
    private var isThere = false
    private var isWanted = false
    /// The id of what feedbackd does now.
    private var running: UInt32?

    func connected(to bus: Bus) {
        self.bus = bus
        watch = bus.watchName(Self.service) { [weak self] _ in
            self?.isThere = true
            self?.readProfile()
        } vanished: { [weak self] in
            self?.isThere = false
            self?.running = nil
            self?.mute(false)
        }
        let rule = MatchRule(
            sender: Self.service, path: Self.path, interface: StandardInterface.properties, member: "PropertiesChanged")
        profile = bus.subscribe(rule) { [weak self] _ in self?.readProfile() }
    }

    private func readProfile() {
        call(StandardInterface.properties, "Get", Self.service, "Profile") { [weak self] reply in
            let word: String? = try? reply.read(Variant.self).value()
            self?.mute(word == "silent" || word == "quiet")
        }
    }

    private func mute(_ isMute: Bool) {
        guard isMute != self.isMute else { return }
        self.isMute = isMute
        onMuteChanged?()
    }

    func disconnected() {
        bus = nil
        watch = nil
        profile = nil
        isThere = false
        running = nil
    }

    func start() {
        isWanted = true
        guard isThere, running == nil else { return }
        let hints: VariantDictionary = ["profile": "quiet"]
        call(Self.service, "TriggerFeedback", "org.opencallkit.Phone", "phone-incoming-call", hints, Int32(0)) {
            [weak self] reply in
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
        call(Self.service, "EndFeedback", id) { _ in }
    }

    private func call<each Argument: DBusType>(
        _ interface: String, _ member: String, _ arguments: repeat each Argument,
        answered: @escaping @LoopActor (Message) -> Void
    ) {
        guard let bus,
            let message = try? Message.call(
                to: Self.service, at: Self.path, interface, member, repeat each arguments)
        else { return }
        message.autoStart = false
        bus.call(message, timeout: Self.timeout) { result in
            if case .success(let reply) = result { answered(reply) }
        }
    }
}
