// AudioRoutes: lets calls be heard where the user wants.

import CallClient
import CallModel
package import DBus
package import EventLoop
import Sound

/// Follows the devices of the sound server, and moves the streams of calls.
@LoopActor
package final class AudioRoutes: DesktopPart {
    package let name = "routes"

    private let context: DesktopContext
    private let callAudio = CallAudio()
    private(set) var routes: [AudioRoute] = []
    private(set) var plan = RoutePlan()
    /// The route of the server's default output.
    private var fallback = ""
    /// Whether a call has the audio.
    private var isActive = false
    private var reading: Task<Void, Never>?
    private var isOutdated = false
    /// The ports that were changed, with the one before, by output.
    private var changedPorts: [String: String] = [:]

    package init(_ context: DesktopContext) {
        self.context = context
        plan.remembered = context.settings.values.audioRoutes.compactMap(AudioRoute.Kind.init(rawValue:))
        context.objects.export(self, at: ObjectPath(Contract.desktopPath) ?? .root, Self.interface)
        context.model.observe { [weak self] in self?.handle($0) }
        context.sound.observe { [weak self] in self?.handle($0) }
    }

    package var status: PartStatus {
        guard context.sound.isReady else { return .waiting("no sound server") }
        return .ready(routes.first { $0.id == current }?.name ?? "the sound server's default")
    }

    /// The id of the route that calls use, or would use.
    var current: String { plan.route(among: routes)?.id ?? fallback }

    package func connected(to bus: Bus) { callAudio.connected(to: bus) }

    package func disconnected() {
        callAudio.disconnected()
        setActive(false)
    }

    package func settle() async {
        await context.sound.settle()
        await reading?.value
    }

    package func stop() async {
        setActive(false)
        await restorePorts()
    }

    // MARK: requests

    func choose(_ id: String) throws(DBusError) {
        guard context.sound.isReady else { throw DBusError(DBusError.Name.failed, "there is no sound server") }
        guard let route = routes.first(where: { $0.id == id }) else {
            let known = routes.map(\.id).joined(separator: ", ")
            throw DBusError(DBusError.Name.invalidArgs, "id: expected one of \(known), found \(id.excerpt)")
        }
        guard route.isAvailable else {
            throw DBusError(DBusError.Name.failed, "nothing is plugged in at \(route.name)")
        }
        var new = plan
        new.choose(route)
        do throws(DBusError) {
            try keep(new)
        } catch {
            plan.chosen = route.id
            apply()
            tell(["Current"])
            throw DBusError(error.name, "the route is used in this call only; \(error.message)")
        }
    }

    func forget() throws(DBusError) { try keep(RoutePlan()) }

    /// Writes a plan down and follows it.
    private func keep(_ new: RoutePlan) throws(DBusError) {
        do throws(SystemError) {
            try context.settings.change { $0.audioRoutes = new.remembered.map(\.rawValue) }
        } catch {
            throw context.settings.unavailable(error)
        }
        plan = new
        apply()
        tell(["Current", "Remembered"])
    }

    private func tell(_ names: [String]) {
        context.objects.propertiesChanged(
            at: ObjectPath(Contract.desktopPath) ?? .root, Contract.audioRoutes, names)
    }

    // MARK: what happens

    private func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared:
            context.model.ask(DaemonPath.audio, StandardInterface.properties, "GetAll", Contract.audioSession) {
                [weak self] answer in
                self?.setActive((try? answer.read(VariantDictionary.self))?["Active", default: false] ?? false)
            }
        case .changed(_, interface: Contract.audioSession, let values, _, _, _):
            if let active: Bool = try? values["Active"]?.value() { setActive(active) }
        case .vanished, .busLost: setActive(false)
        default: break
        }
    }

    private func handle(_ change: SoundServerChange) {
        switch change {
        case .ready: read()
        case .lost:
            routes = []
            fallback = ""
            changedPorts = [:]
            tell(["Routes", "Current"])
        case .event(let event):
            switch event.subject {
            case .sink, .source, .card, .server: read()
            case .playback, .recording: if isActive, event.change == .new { apply() }
            }
        }
    }

    private func setActive(_ isActive: Bool) {
        guard isActive != self.isActive else { return }
        self.isActive = isActive
        callAudio.setInCall(isActive)
        if isActive {
            apply()
        } else {
            plan.endCall()
            Task { await restorePorts() }
        }
        tell(["Current"])
    }

    /// Reads the devices; changes meanwhile lead to one more reading.
    private func read() {
        guard reading == nil else { return isOutdated = true }
        isOutdated = false
        reading = Task {
            let before = (routes, current)
            if let sinks = try? await context.sound.sinks(), let sources = try? await context.sound.sources(),
                let facts = try? await context.sound.serverFacts()
            {
                routes = AudioRoute.routes(sinks: sinks, sources: sources)
                let sink = sinks.first { $0.name == facts.defaultSink }
                fallback = routes.first { $0.sink == sink?.name && $0.port == sink?.activePort }?.id ?? ""
            }
            reading = nil
            if isActive { plan.notice(routes, before: before.0) }
            if routes != before.0 { tell(["Routes"]) }
            if current != before.1 { tell(["Current"]) }
            if isActive { apply() }
            if isOutdated { read() }
        }
    }

    // MARK: moving

    /// Moves the streams of calls to the route, if the user has chosen one or a headset has appeared.
    private func apply() {
        guard isActive, let route = plan.route(among: routes) else { return }
        callAudio.setSpeaker(route.kind == .speaker)
        Task { await move(to: route) }
    }

    private func move(to route: AudioRoute) async {
        let sound = context.sound
        if let port = route.port, let sinks = try? await sound.sinks(),
            let before = sinks.first(where: { $0.name == route.sink })?.activePort, before != port
        {
            changedPorts[route.sink] = changedPorts[route.sink] ?? before
            try? await sound.setPort(port, ofSink: route.sink)
        }
        for stream in (try? await sound.playbackStreams()) ?? []
        where isCall(stream.properties) && stream.sink != route.sinkIndex {
            try? await sound.movePlayback(stream.index, to: route.sinkIndex)
        }
        guard let source = route.sourceIndex else { return }
        for stream in (try? await sound.recordingStreams()) ?? []
        where isCall(stream.properties) && stream.source != source {
            try? await sound.moveRecording(stream.index, to: source)
        }
    }

    /// Whether a stream is that of a call: by its role, or by its process, which is a plugin's.
    private func isCall(_ properties: [String: String]) -> Bool {
        if properties["media.role"] == "phone" { return true }
        guard let pid = properties["application.process.id"].flatMap({ UInt32($0) }) else { return false }
        return context.model.state.plugins.values.contains { $0.number("Pid") == pid }
    }

    private func restorePorts() async {
        let ports = changedPorts
        changedPorts = [:]
        for (sink, port) in ports { try? await context.sound.setPort(port, ofSink: sink) }
    }
}
