// The events of `callctl watch` that follow from each change.

import CallClient
import CallModel
import DBus
import EventLoop

/// Turns changes into events. Pure: it reads nothing by itself.
struct WatchState: Sendable {
    /// The newest rows of missed calls that were reported.
    private var missed: Set<UInt64> = []
    private static let rememberedMissed = 1_000

    /// Returns the events of a change.
    ///
    /// - Parameters:
    ///   - call: returns the call at a path, if it has an object.
    ///   - now: the end of a call whose EndedAt is not known yet.
    func events(
        of change: CallSystemChange, at now: MonotonicTime, call: (ObjectPath) -> PublishedCall? = { _ in nil }
    ) -> [WatchEvent] {
        switch change {
        case .busLost: [WatchEvent(.bus, nil, "the bus has gone", [JSON.Member("connected", .bool(false))])]
        case .vanished:
            [WatchEvent(.daemon, nil, "callkitd is not there", [JSON.Member("running", .bool(false))])]
        case .appeared(let snapshot): began(snapshot)
        case .added(let object): [added(object)]
        case .removed(let path, let interfaces): [removed(path, interfaces)]
        case .identified(let call, _, let identity): [identified(call, identity)]
        case .changed(let path, let interface, let values, let invalidated, let now, let before):
            changed(path, interface, values, invalidated, now, before)
        case .ended(let path, let reason, let origin): [ended(path, call(path), reason, origin, at: now)]
        case .filtered(let provider, let reason, let source, _): [filtered(provider, reason, source)]
        case .resumeSuggested(let path): [WatchEvent(.resume, path, "is still held and could be resumed")]
        case .anomaly(let kind, let object, let text):
            [
                WatchEvent(
                    .anomaly, object, "\(kind): \(text)",
                    [JSON.Member("kind", .string(kind)), JSON.Member("text", .string(text))])
            ]
        case .directoryChanged("user"): [lists("user")]
        case .directoryChanged, .recentsChanged: []
        }
    }

    private func began(_ snapshot: Snapshot) -> [WatchEvent] {
        let counts = [
            (snapshot.providers.count, "provider"), (snapshot.plugins.count, "plugin"), (snapshot.calls.count, "call"),
        ]
        .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: ", ")
        return [WatchEvent(.daemon, nil, "callkitd is there: \(counts)", [JSON.Member("running", .bool(true))])]
            + snapshot.providers.map { added(.provider($0)) } + snapshot.plugins.map { added(.plugin($0)) }
            + snapshot.calls.map { event(.call, $0) }
    }

    private func added(_ object: Followed) -> WatchEvent {
        switch object {
        case .call(let call): event(call.isOutgoing ? .outgoing : .incoming, call)
        case .provider(let provider):
            WatchEvent(.provider, provider.path, Self.text(of: provider), provider.members)
        case .plugin(let plugin): WatchEvent(.plugin, plugin.path, Self.text(of: plugin), plugin.members)
        }
    }

    private func event(_ name: WatchEvent.Name, _ call: PublishedCall) -> WatchEvent {
        WatchEvent(name, call.path, "\(call.stateText()), \(introduction(of: call))", call.members)
    }

    private func removed(_ path: ObjectPath, _ interfaces: [String]) -> WatchEvent {
        let isProvider = interfaces.contains(Contract.provider)
        let text =
            interfaces.contains(Contract.call)
            ? "the call's object" : (isProvider ? "provider " : "plugin ") + path.id
        return WatchEvent(.gone, path, text, [JSON.Member("interfaces", .array(interfaces.map { .string($0) }))])
    }

    private func identified(_ call: PublishedCall, _ identity: VariantDictionary) -> WatchEvent {
        let (name, handle) = (call.callerName, call.handle.text)
        let text = name.isEmpty ? (handle.isEmpty ? "withheld" : handle) : "\(name) <\(handle)>"
        return WatchEvent(.identity, call.path, text, identity.propertyMembers)
    }

    private func changed(
        _ path: ObjectPath, _ interface: String, _ changed: VariantDictionary, _ invalidated: [String],
        _ now: Followed?, _ before: Followed?
    ) -> [WatchEvent] {
        let members = [
            JSON.Member("interface", .string(interface)), JSON.Member("changed", .object(changed.propertyMembers)),
            JSON.Member("invalidated", .array(invalidated.map { .string($0.dashed) })),
        ]
        switch (now, before) {
        case (.call(let call), .call(let before)):
            let isMove = before.state != call.state
            return [WatchEvent(isMove ? .state : .changed, path, Self.text(of: call, after: before), members)]
        case (.provider(let provider), _): return [WatchEvent(.provider, path, Self.text(of: provider), members)]
        case (.plugin(let plugin), .plugin(let before)):
            return [WatchEvent(.plugin, path, Self.text(of: plugin, after: before), members)]
        default: break
        }
        switch interface {
        case Contract.directoryExtension:
            guard let report: VariantDictionary = try? changed["Report"]?.value() else { return [] }
            let directory = ExtensionReport(id: path.id, report)
            return directory.isLoading ? [loading(directory.id, directory.progress.done)] : []
        case Contract.callSystem: return system(Record(path, changed), members)
        case Contract.recents: return recents(RecentCall(properties: changed), members)
        case Contract.audioSession: return [audio(Record(path, changed), members)]
        default: return []
        }
    }

    private func ended(
        _ path: ObjectPath, _ call: PublishedCall?, _ reason: String, _ origin: String, at now: MonotonicTime
    ) -> WatchEvent {
        let duration = call?.durationText(at: now).map { ", after \($0)" } ?? ""
        let known = EndReason(rawValue: reason)
        let word = known?.text(endedBy: origin) ?? reason
        return WatchEvent(
            .ended, path,
            "\(word)\(call?.endDetailText ?? "")\(known?.saysByWhom == true ? "" : ", by \(origin)")\(duration)",
            [JSON.Member("reason", .string(reason)), JSON.Member("origin", .string(origin))])
    }

    /// A filtered call has no object.
    private func filtered(_ provider: ObjectPath, _ reason: String, _ source: String) -> WatchEvent {
        let why = reason == source ? reason : "\(reason) by \(source)"
        return WatchEvent(
            .filtered, provider, "via \(provider.id), \(why)",
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
    private func loading(_ source: String, _ entries: UInt64) -> WatchEvent {
        WatchEvent(
            .lists, nil, nil, [JSON.Member("source", .string(source)), JSON.Member("loading", .unsigned(entries))])
    }
}

extension WatchState {
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
            text = provider == .root ? "released" : "granted to \(provider.id)"
        }
        return WatchEvent(.audio, call == .root ? nil : call, text, members)
    }
}
