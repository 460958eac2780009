// RecentsRecorder: sends the records of calls to the store until they are on the disk.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

/// Keeps one record for each call that goes on, or that has ended and is not on the disk yet. A restarted store gets all of
/// them again.
@LoopActor
final class RecentsRecorder {
    private final class Entry {
        var record: CallRecord
        /// Whose call it is.
        let owner: Owner?
        /// What was sent to the store and is not acknowledged, in order.
        var sent: [CallRecord] = []
        /// What the store has acknowledged.
        var kept: CallRecord?
        /// When the call began here, and when it was connected.
        let openedUptime: Uptime
        var connectedUptime: Uptime?

        init(_ record: CallRecord, of owner: Owner?, at uptime: Uptime) {
            self.record = record
            self.owner = owner
            openedUptime = uptime
        }

        /// Whether the store has been sent the record as it is.
        var isSent: Bool { (sent.last ?? kept) == record }
    }

    private let context: HostContext
    private unowned let store: StoreSupervisor
    private unowned let screening: Screeners
    private var entries: [CallID: Entry] = [:]
    /// The calls in `entries`, in the order in which they began.
    private var order: [CallID] = []
    private var inFlight = 0
    /// Sends what has gathered.
    private var gathering: LoopTimer?
    private var onDrained: (@LoopActor () -> Void)?
    private var drainTimer: LoopTimer?

    /// How many calls were lost because too many waited.
    private(set) var dropped = 0
    /// Called when `dropped` has changed.
    var onChange: @LoopActor () -> Void = {}
    /// Called with a call whose row has been written, and the number of the row.
    var onRow: @LoopActor (CallID, Int64) -> Void = { _, _ in }

    /// The most ended calls that wait.
    private static let capacity = 1_024
    /// The most records that are sent without being asked for.
    private static let maximumInFlight = 32
    /// How long records gather before they are sent: each time costs a write to the disk, and a ringing call
    /// is often answered or over a moment later.
    private static let gatheringTime = Duration.milliseconds(50)
    private static let drainDeadline = Duration.seconds(1)

    init(_ context: HostContext, _ store: StoreSupervisor, _ screening: Screeners) {
        self.context = context
        self.store = store
        self.screening = screening
    }

    // MARK: calls

    func opened(_ call: Call, at moment: Instant) {
        guard entries[call.id] == nil, isIncluded(call.provider) else { return }
        let record = CallRecord(
            call.id, provider: call.provider, direction: call.direction, startedAt: moment.date)
        entries[call.id] = Entry(record, of: owner(of: call.provider), at: moment.uptime)
        order.append(call.id)
        update(call, at: moment)
    }

    func changed(_ call: Call, _ changes: CallChanges, at moment: Instant) {
        if !changes.isDisjoint(with: Self.recorded) { update(call, at: moment) }
    }

    private static let recorded = CallChanges(
        CallProperty.video, CallProperty.startedAt, CallProperty.connectedAt, CallProperty.endedAt
    ).union(.identity)

    func filtered(_ call: FilteredCall) {
        guard entries[call.call] == nil, isIncluded(call.provider) else { return }
        entries[call.call] = Entry(
            CallRecord(call, by: screening.name(of: call.by)), of: owner(of: call.provider), at: call.at.uptime)
        order.append(call.call)
        sendSoon()
    }

    func isIncluded(_ provider: ProviderID) -> Bool {
        context.core.providers[provider]?.configuration.includesCallsInRecents ?? true
    }

    private func owner(of provider: ProviderID) -> Owner? { context.core.providers[provider]?.owner }

    private func update(_ call: Call, at now: Instant) {
        guard let entry = entries[call.id] else { return }
        if call.connectedAt != 0, entry.connectedUptime == nil {
            // A provider may report a connection of a while ago, though not from before the call began here.
            let ago = now.date.span(since: call.connectedAt)
            let known = min(Uptime(microseconds: call.connectedAtMonotonic), entry.openedUptime)
            entry.connectedUptime = max(now.uptime.earlier(by: ago), known)
        }
        let duration = entry.connectedUptime.map { (now.uptime - $0) / 1_000 } ?? 0
        let filter = call.filter?.by ?? call.screening.map { .screener($0.by) }
        let record = CallRecord(
            call, openedAt: entry.record.startedAt, duration: duration,
            filteredBy: filter.map(screening.name(of:)) ?? "")
        guard record != entry.record || entry.kept == nil else { return }
        entry.record = record
        sendSoon()
    }

    // MARK: the store

    /// Sends all records again: a new store may not have what the last one was sent.
    func storeChanged(isReachable: Bool) {
        for id in order {
            entries[id]?.sent = []
            entries[id]?.kept = nil
        }
        inFlight = 0
        if isReachable { sendSoon() }
    }

    private func sendSoon() {
        guard gathering == nil else { return }
        let isUrgent = onDrained != nil || order.count > Self.maximumInFlight
        gathering = LoopTimer(after: isUrgent ? .zero : Self.gatheringTime) { [weak self] in self?.sendNow() }
    }

    /// Sends everything, before the store is asked for rows.
    func sendAll() {
        gathering = nil
        send(atMost: .max) { !$0.isSent }
    }

    /// Sends what has gathered, as far as the store keeps up.
    private func sendNow() {
        gathering = nil
        send(atMost: Self.maximumInFlight) { !$0.isSent && $0.sent.isEmpty }
    }

    private func send(atMost limit: Int, where isDue: (Entry) -> Bool) {
        makeRoom()
        guard store.isReachable else { return }
        for id in order where inFlight < limit {
            guard let entry = entries[id], isDue(entry) else { continue }
            let record = entry.record
            entry.sent.append(record)
            inFlight += 1
            store.call(PrivateMember.Store.record, record.wire, timeout: .zero) { [weak self] result in
                self?.answered(record, result)
            }
        }
    }

    private func answered(_ record: CallRecord, _ result: Result<Message, DBusError>) {
        let id = record.call
        // A late answer of the previous store does not count.
        guard let entry = entries[id], let index = entry.sent.firstIndex(of: record) else { return }
        entry.sent.remove(at: index)
        inFlight -= 1
        switch result {
        case .success(let message):
            entry.kept = record
            if let row = try? message.read(Int64.self) { onRow(id, row) }
        case .failure(let error) where error.name == ErrorCode.invalidArguments.busName:
            let reason = context.configuration.logsIdentities ? error.message : error.name
            context.notices.log(.error, "callkit-store refuses call \(id): \(reason)", by: entry.owner)
            entry.kept = record
        case .failure: return
        }
        if entry.record == record, !record.isOpen, entry.sent.isEmpty { forget(id) }
        sendSoon()
        drained()
    }

    private func forget(_ id: CallID) {
        entries[id] = nil
        order.removeAll { $0 == id }
        // Give back the memory of the many that waited while the store was away.
        if entries.isEmpty, entries.capacity > Self.maximumInFlight { (entries, order) = ([:], []) }
    }

    /// Drops ended calls if too many wait: the oldest ones of the program that has most waiting.
    private func makeRoom() {
        guard order.count > Self.capacity else { return }
        let ended = order.filter { entries[$0]?.record.isOpen == false }
        guard ended.count > Self.capacity else { return }
        var waiting = Dictionary(grouping: ended.filter { entries[$0]?.sent.isEmpty == true }) { entries[$0]?.owner }
            .mapValues { $0[...] }
        for _ in Self.capacity..<ended.count {
            guard let most = waiting.max(by: { $0.value.count < $1.value.count }),
                let id = waiting[most.key]?.popFirst()
            else { break }
            forget(id)
            dropped += 1
        }
        onChange()
    }

    // MARK: the end

    /// Calls `then` when everything is on the disk, or when that takes too long.
    func drain(then: @escaping @LoopActor () -> Void) {
        onDrained = then
        drainTimer = LoopTimer(after: Self.drainDeadline) { [weak self] in self?.drained(isLate: true) }
        sendNow()
        drained()
    }

    private func drained(isLate: Bool = false) {
        guard isLate || entries.isEmpty else { return }
        drainTimer = nil
        let onDrained = onDrained
        self.onDrained = nil
        onDrained?()
    }
}

extension CallRecord {
    /// - Parameters:
    ///   - openedAt: when the call began, until its provider reports it.
    ///   - duration: how long the call has been connected, in ms.
    ///   - filteredBy: the name of who filtered or screened the call; "" for nobody.
    init(_ call: Call, openedAt: WallTime, duration: UInt64, filteredBy: String) {
        self.init(
            call.id, provider: call.provider, direction: call.direction,
            startedAt: call.startedAt == 0 ? openedAt : call.startedAt)
        handle = call.handle
        name = call.callerName
        nameSource = call.callerNameSource
        video = call.video
        connectedAt = call.connectedAt
        screening = call.screening?.verdict
        self.filteredBy = filteredBy
        guard call.hasEnded else { return }
        let reason = call.filter.map { Reason.filtered($0.reason) } ?? .ended(call.endReason ?? .failed)
        end = End(
            at: call.endedAt, reason: reason, by: call.endedBy ?? .system, duration: duration,
            network: call.networkEnd)
    }

    /// - Parameter filter: the name of what filtered the call.
    init(_ call: FilteredCall, by filter: String) {
        self.init(call.call, provider: call.provider, direction: .incoming, startedAt: call.at.date)
        handle = call.handle
        name = call.callerName
        nameSource = call.nameSource
        video = call.hasVideo
        filteredBy = filter
        if case .screener = call.by { screening = ScreeningVerdict(.reject, reason: call.text) }
        end = End(at: call.at.date, reason: .filtered(call.reason), by: .policy)
    }
}
