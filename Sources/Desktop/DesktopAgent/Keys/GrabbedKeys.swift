// GrabbedKeys: the media keys of desktops that send them to the program that has asked for them last.

import DBus
import EventLoop

/// Asks for the keys where MPRIS is not enough. mate-settings-daemon 1.26 has a bridge to MPRIS that knows sixteen players
/// by name; csd-media-keys 5.6 leaves the keys to the player that was there first, also while it is paused.
@LoopActor
final class GrabbedKeys {
    var onKey: (@LoopActor (MediaKey) -> Void)?

    /// The names of these programs on the bus. That of Cinnamon's is an old one of GNOME's own.
    private static let services = ["org.mate.SettingsDaemon", "org.gnome.SettingsDaemon"]
    private static let application = PhoneApplication.busName
    private static let keys: [String: MediaKey] = ["Play": .play, "Pause": .pause, "Stop": .stop]

    private var bus: Bus?
    private var presses: [Subscription] = []

    func connected(to bus: Bus) { self.bus = bus }

    func disconnected() {
        bus = nil
        presses = []
    }

    func grab() {
        for service in Self.services {
            let rule = MatchRule(
                sender: service, path: Self.path(of: service), interface: "\(service).MediaKeys",
                member: "MediaPlayerKeyPressed", arg0: Self.application)
            if let bus { presses.append(bus.subscribe(rule) { [weak self] in self?.receive($0) }) }
            send("GrabMediaPlayerKeys", to: service, Self.application, UInt32(0))
        }
    }

    func release() {
        presses = []
        for service in Self.services { send("ReleaseMediaPlayerKeys", to: service, Self.application) }
    }

    private func receive(_ signal: Message) {
        guard let (_, key) = try? signal.read(String.self, String.self), let key = Self.keys[key] else { return }
        onKey?(key)
    }

    /// Where there is no such program, nobody is asked, or started.
    private func send<each Argument: DBusType>(
        _ member: String, to service: String, _ arguments: repeat each Argument
    ) {
        guard
            let message = try? Message.call(
                to: service, at: Self.path(of: service), "\(service).MediaKeys", member, repeat each arguments)
        else { return }
        message.autoStart = false
        message.expectsReply = false
        bus?.send(message)
    }

    private static func path(of service: String) -> ObjectPath {
        ObjectPath("/\(service.replacing(".", with: "/"))/MediaKeys") ?? .root
    }
}
