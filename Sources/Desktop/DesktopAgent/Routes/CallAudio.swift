// CallAudio: callaudiod, which switches the sound card of a phone.

import DBus
import EventLoop

/// Tells callaudiod, where it is, that a call is heard, and whether by the speaker. Without a card for calls it refuses,
/// which changes nothing.
@LoopActor
final class CallAudio {
    private static let service = "org.mobian_project.CallAudio"
    private static let path: ObjectPath = "/org/mobian_project/CallAudio"
    private static let timeout = Duration.seconds(2)

    private var bus: Bus?
    private var watch: NameWatch?
    private var isThere = false
    private var isInCall = false
    private var isSpeaker = false

    func connected(to bus: Bus) {
        self.bus = bus
        watch = bus.watchName(Self.service) { [weak self] _ in
            guard let self else { return }
            isThere = true
            if isInCall { call("SelectMode", UInt32(1)) }
        } vanished: { [weak self] in
            self?.isThere = false
        }
    }

    func disconnected() {
        bus = nil
        watch = nil
        isThere = false
    }

    func setInCall(_ isInCall: Bool) {
        guard isInCall != self.isInCall else { return }
        self.isInCall = isInCall
        isSpeaker = false
        call("SelectMode", UInt32(isInCall ? 1 : 0))
    }

    func setSpeaker(_ isSpeaker: Bool) {
        guard isInCall, isSpeaker != self.isSpeaker else { return }
        self.isSpeaker = isSpeaker
        call("EnableSpeaker", isSpeaker)
    }

    private func call(_ member: String, _ argument: some DBusType) {
        guard let bus, isThere,
            let message = try? Message.call(to: Self.service, at: Self.path, Self.service, member, argument)
        else { return }
        message.autoStart = false
        bus.call(message, timeout: Self.timeout) { _ in }
    }
}
