// XfceSetting: a setting of Xfce, which xfconf keeps.

import DBus
import EventLoop

/// Follows one property of xfconf while its service runs. The service is never started.
@LoopActor
final class XfceSetting {
    /// Called with the value; nil if the property is not set, or xfconf does not run.
    var onChange: (@LoopActor (Variant?) -> Void)?

    private static let service = "org.xfce.Xfconf"
    private static let path: ObjectPath = "/org/xfce/Xfconf"
    private static let timeout = Duration.seconds(2)

    private let channel: String
    private let property: String
    private weak var bus: Bus?
    private var watch: NameWatch?
    private var subscription: Subscription?

    /// - Parameters:
    ///   - channel: such as `xsettings`.
    ///   - property: such as `/Net/SoundThemeName`.
    init(_ channel: String, _ property: String) {
        self.channel = channel
        self.property = property
    }

    func connected(to bus: Bus) {
        self.bus = bus
        watch = bus.watchName(Self.service) { [weak self] owner in
            self?.appeared(owner)
        } vanished: { [weak self] in
            self?.subscription = nil
            self?.onChange?(nil)
        }
    }

    func disconnected() {
        bus = nil
        watch = nil
        subscription = nil
    }

    private func appeared(_ owner: String) {
        let rule = MatchRule(sender: owner, path: Self.path, interface: Self.service, arg0: channel)
        subscription = bus?.subscribe(rule) { [weak self] _ in self?.read(owner) }
        read(owner)
    }

    private func read(_ owner: String) {
        guard let bus,
            let message = try? Message.call(to: owner, at: Self.path, Self.service, "GetProperty", channel, property)
        else { return }
        message.autoStart = false
        bus.call(message, timeout: Self.timeout) { [weak self] result in
            guard let self, watch?.owner == owner else { return }
            onChange?(try? result.get().read(Variant.self))
        }
    }
}
