// The state of watching, and the events that follow from each signal.

import CallClient
import CallModel
import DBus
import EventLoop

/// Turns snapshots and signals into events. Pure: it reads nothing by itself; calls whose identity must be read are
/// added to `unidentified`.
struct WatchState: Sendable {
    private var calls: [ObjectPath: Record] = [:]
    private var others: [ObjectPath: Record] = [:]
    private var unidentified: [ObjectPath] = []
    /// The newest rows of missed calls that were reported.
    private var missed: Set<UInt64> = []
    private static let rememberedMissed = 1_000

    /// The calls whose identity is new or has changed.
    mutating func takeUnidentified() -> [ObjectPath] {
        defer { unidentified = [] }
        return unidentified
    }

    /// Handles the daemon's arrival with these objects.
    mutating func began(_ snapshot: Snapshot) -> [WatchEvent] {
        calls = Dictionary(snapshot.calls.map { ($0.path, $0) }) { first, _ in first }
        others = Dictionary((snapshot.providers + snapshot.plugins).map { ($0.path, $0) }) { first, _ in first }
        unidentified = snapshot.calls.filter { $0.properties["Handle"] == nil }.map(\.path)
        let counts = [
            (snapshot.providers.count, "provider"), (snapshot.plugins.count, "plugin"), (calls.count, "call"),
        ]
        .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: ", ")
        return [WatchEvent(.daemon, nil, "callkitd is there: \(counts)", [JSON.Member("running", .bool(true))])]
            + snapshot.providers.map { event(.provider, $0, Self.text(ofProvider: $0)) }
            + snapshot.plugins.map { event(.plugin, $0, Self.text(ofPlugin: $0)) }
            + snapshot.calls.map { event(.call, $0, "\($0.stateText), \(introduction(of: $0))") }
    }

    /// Handles the loss of the daemon or of the bus.
    mutating func lost() {
        self = WatchState()
    }

    mutating func added(_ path: ObjectPath, _ interfaces: [String: VariantDictionary]) -> [WatchEvent] {
        if let properties = interfaces[Contract.call] {
            let call = Record(path, properties)
            calls[path] = call
            unidentified.append(path)
            let name: WatchEvent.Name = call.isOutgoing ? .outgoing : .incoming
            return [event(name, call, "\(call.stateText), \(introduction(of: call))")]
        }
        if let properties = interfaces[Contract.provider] {
            let provider = Record(path, properties)
            others[path] = provider
            return [event(.provider, provider, Self.text(ofProvider: provider))]
        }
        if let properties = interfaces[Contract.plugin] {
            let plugin = Record(path, properties)
            others[path] = plugin
            return [event(.plugin, plugin, Self.text(ofPlugin: plugin))]
        }
        return []
    }

    mutating func removed(_ path: ObjectPath, _ interfaces: [String]) -> [WatchEvent] {
        let text: String
        if interfaces.contains(Contract.call) {
            calls[path] = nil
            unidentified.removeAll { $0 == path }
            text = "the call's object"
        } else if interfaces.contains(Contract.provider) || interfaces.contains(Contract.plugin) {
            others[path] = nil
            text = (interfaces.contains(Contract.provider) ? "provider " : "plugin ") + Record.id(of: path)
        } else {
            return []
        }
        return [WatchEvent(.gone, path, text, [JSON.Member("interfaces", .array(interfaces.map { .string($0) }))])]
    }

    /// Handles the identity that was read for a call.
    mutating func identified(_ path: ObjectPath, _ identity: VariantDictionary) -> [WatchEvent] {
        guard var call = calls[path] else { return [] }
        let old = call
        call.properties.merge(identity) { _, new in new }
        calls[path] = call
        guard call != old else { return [] }
        let (name, handle) = (call.text("CallerName"), call.handleText)
        let text = name.isEmpty ? (handle.isEmpty ? "withheld" : handle) : "\(name) <\(handle)>"
        return [WatchEvent(.identity, path, text, identity.propertyMembers)]
    }

    mutating func changed(
        _ path: ObjectPath, _ interface: String, _ changed: VariantDictionary, invalidated: [String]
    ) -> [WatchEvent] {
        let members = [
            JSON.Member("interface", .string(interface)), JSON.Member("changed", .object(changed.propertyMembers)),
            JSON.Member("invalidated", .array(invalidated.map { .string($0.dashed) })),
        ]
        switch interface {
        case Contract.call:
            guard let old = calls[path] else { return [] }
            let new = Self.update(&calls, path, changed) ?? old
            let isMove = old.state != new.state
            return [WatchEvent(isMove ? .state : .changed, path, Self.text(of: new, after: old), members)]
        case Contract.callIdentity:
            if calls[path] != nil, !unidentified.contains(path) { unidentified.append(path) }
            return []
        case Contract.provider:
            guard let provider = Self.update(&others, path, changed) else { return [] }
            return [WatchEvent(.provider, path, Self.text(ofProvider: provider), members)]
        case Contract.plugin:
            guard let plugin = Self.update(&others, path, changed) else { return [] }
            return [WatchEvent(.plugin, path, Self.text(ofPlugin: plugin), members)]
        case Contract.directoryExtension:
            guard let report: VariantDictionary = try? changed["Report"]?.value() else { return [] }
            let directory = ExtensionReport(id: Record.id(of: path), report)
            return directory.isLoading ? [loading(directory.id, directory.progress.done)] : []
        case Contract.callSystem:
            return system(Record(path, changed), members)
        case Contract.recents:
            return recents(RecentCall(properties: changed), members)
        case Contract.audioSession:
            return [audio(Record(path, changed), members)]
        default:
            return []
        }
    }

    /// Handles the end of a call. The signal may come before EndedAt is known; until then the end is `now`.
    func ended(_ path: ObjectPath, reason: String, origin: String, at now: WallTime) -> WatchEvent {
        let duration = calls[path]?.durationText(at: now).map { ", after \($0)" } ?? ""
        let text = "\(reason), by \(origin)\(duration)"
        return WatchEvent(
            .ended, path, text, [JSON.Member("reason", .string(reason)), JSON.Member("origin", .string(origin))])
    }

    func resumeSuggested(_ path: ObjectPath) -> WatchEvent {
        WatchEvent(.resume, path, "is still held and could be resumed")
    }

    /// Handles a filtered call, which has no object.
    func filtered(_ provider: ObjectPath, reason: String, by source: String) -> WatchEvent {
        let why = reason == source ? reason : "\(reason) by \(source)"
        return WatchEvent(
            .filtered, provider, "via \(Record.id(of: provider)), \(why)",
            [JSON.Member("reason", .string(reason)), JSON.Member("by", .string(source))])
    }

    /// Handles a row that is new or has changed: an unread missed call is reported once.
    mutating func row(_ call: RecentCall) -> [WatchEvent] {
        guard call.isNew, !call.flag("open"), missed.insert(call.id).inserted else { return [] }
        if missed.count > Self.rememberedMissed, let oldest = missed.min() { missed.remove(oldest) }
        return [
            WatchEvent(
                .missed, nil, "\(call.party) via \(call.text("provider-id")), \(call.outcome)", call.properties.members)
        ]
    }

    /// Handles a change of the user's own lists or of an extension's lists.
    func lists(_ source: String, _ report: ExtensionReport? = nil) -> WatchEvent {
        let members = [JSON.Member("source", .string(source))]
        guard let report else { return WatchEvent(.lists, nil, "your own lists have changed", members) }
        let text = report.trouble.isEmpty || report.isLoading ? report.contents : report.trouble
        return WatchEvent(
            .lists, nil, "\(source) \(report.state)" + (report.isEnabled ? ": \(text)" : ""),
            members + report.properties.members)
    }

    /// Handles the progress of a load. Only programs see it; people see the end.
    func loading(_ source: String, _ entries: UInt64) -> WatchEvent {
        WatchEvent(
            .lists, nil, nil, [JSON.Member("source", .string(source)), JSON.Member("loading", .unsigned(entries))])
    }

    func anomaly(_ kind: String, _ object: ObjectPath, _ text: String) -> WatchEvent {
        WatchEvent(
            .anomaly, object, "\(kind): \(text)",
            [JSON.Member("kind", .string(kind)), JSON.Member("text", .string(text))])
    }
}

extension WatchState {
    private func event(_ name: WatchEvent.Name, _ record: Record, _ text: String) -> WatchEvent {
        WatchEvent(name, record.path, text, record.properties.propertyMembers)
    }

    private static func update(
        _ records: inout [ObjectPath: Record], _ path: ObjectPath, _ changed: VariantDictionary
    ) -> Record? {
        records[path]?.properties.merge(changed) { _, new in new }
        return records[path]
    }

    /// Handles changes of the root's properties. Only programs see ActiveCall; people have seen the call's own state.
    private func system(_ root: Record, _ members: [JSON.Member]) -> [WatchEvent] {
        var events: [WatchEvent] = []
        if root.properties["ActiveCall"] != nil {
            let call = root.path("ActiveCall")
            events.append(WatchEvent(.active, call == .root ? nil : call, nil, members))
        }
        if root.properties["DoNotDisturb"] != nil {
            let text = root.flag("DoNotDisturb") ? "do not disturb is on" : "do not disturb is off"
            events.append(WatchEvent(.system, nil, text, members))
        }
        if root.properties["Policy"] != nil {
            events.append(WatchEvent(.system, nil, "policy \(root.text("Policy"))", members))
        }
        return events
    }

    private func recents(_ store: some Readable, _ members: [JSON.Member]) -> [WatchEvent] {
        guard store.properties["Degraded"] != nil else { return [WatchEvent(.system, nil, nil, members)] }
        let trouble = store.text("Degraded")
        return [
            WatchEvent(.system, nil, trouble.isEmpty ? "the recents are complete" : "recents: \(trouble)", members)
        ]
    }

    private func audio(_ session: Record, _ members: [JSON.Member]) -> WatchEvent {
        let (call, provider) = (session.path("Call"), session.path("Provider"))
        var text: String?
        if session.properties["Provider"] != nil {
            text = provider == .root ? "released" : "granted to \(Record.id(of: provider))"
        }
        return WatchEvent(.audio, call == .root ? nil : call, text, members)
    }
}
