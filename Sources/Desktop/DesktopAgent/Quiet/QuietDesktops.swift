// QuietDesktops: passes the desktop's own Do Not Disturb on to the daemon.

import CallClient
import CallModel
package import DBus
package import EventLoop

/// Reads Do Not Disturb wherever desktops keep it, and calls `SetQuiet`, which lasts as long as the agent is connected.
@LoopActor
package final class QuietDesktops: DesktopPart {
    package let name = "do-not-disturb"

    private let context: DesktopContext
    private let desktop: SessionDesktop
    private let services: [(source: QuietSource, service: QuietService)]
    /// The one that the session's desktop keeps as a setting.
    private var setting: (any DesktopSetting)?
    private var bus: Bus?
    private var watches: [NameWatch] = []
    private var signals: [String: Subscription] = [:]
    private var quiet: Set<String> = []
    /// The sources that have answered.
    private var known: Set<String> = []

    /// How long a service has to answer.
    private static let timeout = Duration.seconds(2)

    package init(_ context: DesktopContext) {
        self.context = context
        desktop = SessionDesktop(environment: context.environment)
        services = QuietSource.all.compactMap { source in
            if case .service(let service) = source.place { (source, service) } else { nil }
        }
        if let own = QuietSource.own(of: desktop) { follow(own) }
        context.model.observe { [weak self] in self?.handle($0) }
    }

    package var status: PartStatus {
        if !quiet.isEmpty { return .ready("on: \(quiet.sorted().joined(separator: ", "))") }
        let off = known.isEmpty ? nil : "off: \(known.sorted().joined(separator: ", "))"
        if let complaint { return .waiting([off, complaint].compactMap { $0 }.joined(separator: "; ")) }
        return .ready(off ?? "")
    }

    /// What is not known of the session's desktop; nil if its own Do Not Disturb, or that of a server on it, is followed.
    private var complaint: String? {
        guard let name = desktop.names.first else { return known.isEmpty ? "no desktop that tells" : nil }
        let own = QuietSource.own(of: desktop)
        let isFollowed = QuietSource.all.contains {
            known.contains($0.name) && ($0.desktops.isEmpty || $0.name == own?.name)
        }
        if isFollowed { return nil }
        return own.map { "the Do Not Disturb of \($0.name) cannot be read" }
            ?? "no Do Not Disturb is known for \(name.displayable)"
    }

    package func connected(to bus: Bus) {
        self.bus = bus
        watches = services.map { source, service in
            bus.watchName(service.name) { [weak self] owner in
                self?.appeared(source, service, owner)
            } vanished: { [weak self] in
                self?.vanished(source)
            }
        }
        setting?.connected(to: bus)
        context.notificationSwitch.connected(to: bus)
    }

    package func disconnected() {
        bus = nil
        watches = []
        signals = [:]
        quiet = []
        known = []
        setting?.disconnected()
        context.notificationSwitch.disconnected()
    }

    package func settle() async {
        await setting?.settle()
        await context.notificationSwitch.settle()
    }

    package func stop() async {}

    // MARK: settings

    private func follow(_ source: QuietSource) {
        let isQuiet: (String?) -> Bool?
        switch source.place {
        case .service: return
        case .dconf(let schema, let folder, let key, let value):
            setting = DconfSetting(schema, key, in: folder, environment: context.environment)
            isQuiet = { $0.map { $0 == value } }
        case .file(let name, let place, let value):
            setting = FileSetting(name, place, environment: context.environment)
            isQuiet = { $0 == value }
        }
        setting?.onChange = { [weak self] in self?.apply(source.name, isQuiet($0)) }
    }

    // MARK: services

    private func appeared(_ source: QuietSource, _ service: QuietService, _ owner: String) {
        if var rule = service.signal {
            rule.sender = owner
            signals[source.name] = bus?.subscribe(rule) { [weak self] _ in self?.read(source, service) }
        }
        read(source, service)
    }

    private func vanished(_ source: QuietSource) {
        signals[source.name] = nil
        apply(source.name, nil)
    }

    private func read(_ source: QuietSource, _ service: QuietService) {
        guard let bus, let message = try? service.question() else { return }
        message.autoStart = false
        bus.call(message, timeout: Self.timeout) { [weak self] result in
            // Most services have most of these questions not: an error is no Do Not Disturb.
            self?.apply(source.name, (try? result.get()).flatMap(service.isQuiet))
        }
    }

    /// Applies what a source says; nil if it says nothing.
    private func apply(_ name: String, _ isQuiet: Bool?) {
        if isQuiet == nil { known.remove(name) } else { known.insert(name) }
        guard quiet.contains(name) != (isQuiet == true) else { return }
        if isQuiet == true { quiet.insert(name) } else { quiet.remove(name) }
        tell(name)
    }

    private func tell(_ name: String) {
        context.model.request(
            DaemonPath.system, Contract.callSystem, "SetQuiet", name, quiet.contains(name),
            timeout: CallSystemModel.quickTimeout
        ) { _ in }
    }

    private func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared: for name in quiet { tell(name) }
        // A source without signals is asked when it matters.
        case .added(.call(let call)) where call.state == .ringing:
            for (source, service) in services where service.signal == nil && known.contains(source.name) {
                read(source, service)
            }
        default: break
        }
    }
}
