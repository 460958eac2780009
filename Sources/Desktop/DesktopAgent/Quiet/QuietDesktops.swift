// QuietDesktops: passes the desktop's own Do Not Disturb on to the daemon.

import CallClient
import CallModel
package import DBus
package import EventLoop

/// Reads Do Not Disturb wherever desktops keep it, and calls `SetQuiet`, which lasts as long as the agent is connected.
@LoopActor
package final class QuietDesktops: DesktopPart {
    package let name = "do-not-disturb"

    private static let gnomeName = "GNOME"

    private let context: DesktopContext
    private let gnome: GnomeSetting
    private var bus: Bus?
    private var watches: [NameWatch] = []
    private var signals: [String: Subscription] = [:]
    private var quiet: Set<String> = []
    /// The sources that have answered.
    private var known: Set<String> = []

    /// How long a service has to answer, in milliseconds.
    private static let timeout = 2_000

    package init(_ context: DesktopContext) {
        self.context = context
        gnome = GnomeSetting(
            "org.gnome.desktop.notifications", "show-banners", environment: context.environment)
        gnome.onChange = { [weak self] in self?.take(Self.gnomeName, Self.isQuiet(showBanners: $0)) }
        context.model.observe { [weak self] in self?.handle($0) }
    }

    package var status: PartStatus {
        if !quiet.isEmpty { return .ready("on: \(quiet.sorted().joined(separator: ", "))") }
        return known.isEmpty
            ? .waiting("no desktop that tells") : .ready("off: \(known.sorted().joined(separator: ", "))")
    }

    package func connected(to bus: Bus) {
        self.bus = bus
        watches = QuietSource.all.map { source in
            bus.watchName(source.service) { [weak self] owner in
                self?.appeared(source, owner)
            } vanished: { [weak self] in
                self?.vanished(source)
            }
        }
        gnome.connected(to: bus)
    }

    package func disconnected() {
        bus = nil
        watches = []
        signals = [:]
        quiet = []
        known = []
        gnome.disconnected()
    }

    package func stop() async {}

    private static func isQuiet(showBanners value: String?) -> Bool? {
        switch value {
        case "true": false
        case "false": true
        default: nil
        }
    }

    private func appeared(_ source: QuietSource, _ owner: String) {
        if var rule = source.signal {
            rule.sender = owner
            signals[source.name] = bus?.subscribe(rule) { [weak self] _ in self?.read(source) }
        }
        read(source)
    }

    private func vanished(_ source: QuietSource) {
        signals[source.name] = nil
        take(source.name, nil)
    }

    private func read(_ source: QuietSource) {
        guard let bus, let message = try? source.question() else { return }
        message.autoStart = false
        bus.call(message, timeoutMilliseconds: Self.timeout) { [weak self] result in
            // Most services have most of these questions not: an error is no Do Not Disturb.
            self?.take(source.name, (try? result.get()).flatMap(source.isQuiet))
        }
    }

    /// Takes over what a source says; nil if it says nothing.
    private func take(_ name: String, _ isQuiet: Bool?) {
        if isQuiet == nil { known.remove(name) } else { known.insert(name) }
        guard quiet.contains(name) != (isQuiet == true) else { return }
        if isQuiet == true { quiet.insert(name) } else { quiet.remove(name) }
        tell(name)
    }

    private func tell(_ name: String) {
        context.model.request(
            DaemonPath.system, Contract.callSystem, "SetQuiet", name, quiet.contains(name),
            timeoutMilliseconds: CallSystemModel.quickMilliseconds
        ) { _ in }
    }

    private func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared: for name in quiet { tell(name) }
        // A source without signals is asked when it matters.
        case .added(let record, interface: Contract.call) where record.state == "ringing":
            for source in QuietSource.all where source.signal == nil && known.contains(source.name) { read(source) }
        default: break
        }
    }
}

extension QuietSource {
    @LoopActor fileprivate func question() throws(DBusError) -> Message {
        switch arguments.count {
        case 0: try Message.call(to: service, at: path, interface, member)
        default: try Message.call(to: service, at: path, interface, member, arguments[0], arguments[1])
        }
    }
}
