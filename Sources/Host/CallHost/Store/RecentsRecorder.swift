// RecentsRecorder: tells the store what becomes of calls, until it says that this is on the disk.

import CallCore
import CallModel
import DBus
import EventLoop
import Logging
import CallWire

/// Keeps one record for each call that goes on, or that has ended and is not on the disk yet. A store that was started anew
/// is told all of them again.
@LoopActor
final class RecentsRecorder: CallFollower {
    private final class Entry {
        var record: CallRecord
        /// What the store is being told, and has not acknowledged.
        var sent: CallRecord?
        /// What it has acknowledged.
        var kept: CallRecord?
        /// When the call was connected, in µs of the clock that does not jump.
        var connectedUptime: UInt64?

        init(_ record: CallRecord) { self.record = record }
    }

    private unowned let host: CallSystemHost
    private var entries: [CallID: Entry] = [:]
    /// The calls in `entries`, in the order in which they began.
    private var order: [CallID] = []
    private var inFlight = 0
    /// What is to be told next, once more of it has gathered.
    private var gathering: LoopTimer?
    private var onDrained: (@LoopActor () -> Void)?
    private var drainTimer: LoopTimer?

    /// How many calls could not be kept, as too many waited.
    private(set) var dropped = 0
    /// Called when `dropped` has changed.
    var onChange: @LoopActor () -> Void = {}

    /// What has ended and waits, at most.
    private static let capacity = 1_024
    private static let maximumInFlight = 32
    /// How long the store is not told of what becomes of few calls, in milliseconds: each time costs it a write to the disk,
    /// and a call that rings is often answered, or has ended, a moment later.
    private static let gatheringTime = 50
    private static let drainDeadline = 1_000

    init(host: CallSystemHost) { self.host = host }

    // MARK: what becomes of calls

    func opened(_ call: Call, at moment: Instant) {
        guard entries[call.id] == nil, isIncluded(call.provider) else { return }
        let record = CallRecord(
            call.id, provider: call.provider, direction: call.direction, startedAt: moment.date)
        entries[call.id] = Entry(record)
        order.append(call.id)
        update(call, at: moment)
    }

    func changed(_ call: Call, _ changes: CallChanges, at moment: Instant) {
        let interesting: CallChanges = [.video, .startedAt, .connectedAt, .ended, .identity]
        if !changes.isDisjoint(with: interesting) { update(call, at: moment) }
    }

    func filtered(_ call: FilteredCall) {
        guard entries[call.call] == nil, isIncluded(call.provider) else { return }
        var record = CallRecord(call.call, provider: call.provider, direction: .incoming, startedAt: call.at.date)
        record.handle = call.handle
        record.name = call.callerName
        record.nameSource = call.nameSource
        record.video = call.hasVideo
        record.endedAt = call.at.date
        record.reason = CallRecord.filtered
        record.endedBy = Origin.policy.rawValue
        record.filtered = call.reason.rawValue
        record.filteredBy = host.name(of: call.by)
        if case .screener = call.by { record.screening = Self.text(.reject, call.text) }
        record.isOpen = false
        entries[call.call] = Entry(record)
        order.append(call.call)
        sendSoon()
    }

    private func isIncluded(_ provider: ProviderID) -> Bool {
        host.machine.providers[provider]?.configuration.includesCallsInRecents ?? true
    }

    private func update(_ call: Call, at now: Instant) {
        guard let entry = entries[call.id] else { return }
        var record = entry.record
        record.handle = call.handle
        record.name = call.callerName
        record.nameSource = call.nameSource
        record.video = call.video
        if call.startedAt != 0 { record.startedAt = call.startedAt }
        record.connectedAt = call.connectedAt
        if call.connectedAt != 0, entry.connectedUptime == nil {
            // Providers may say that it was a while ago.
            let ago = now.date > call.connectedAt ? now.date - call.connectedAt : 0
            entry.connectedUptime = now.uptime > ago ? now.uptime - ago : 0
        }
        if let screening = call.screening {
            record.filteredBy = host.name(of: screening.by)
            record.screening = Self.text(screening.verdict.word, screening.verdict.reason)
        }
        if call.hasEnded {
            record.endedAt = call.endedAt
            record.reason = call.endReason?.rawValue ?? ""
            record.endedBy = call.endedBy?.rawValue ?? ""
            record.isOpen = false
            if let connected = entry.connectedUptime { record.duration = (now.uptime - connected) / 1_000 }
        }
        guard record != entry.record || entry.kept == nil else { return }
        entry.record = record
        sendSoon()
    }

    private static func text(_ verdict: ScreeningVerdict.Word, _ reason: String) -> String {
        reason.isEmpty ? verdict.rawValue : "\(verdict.rawValue): \(reason)"
    }

    // MARK: the store

    /// The store is there, or another one than before: nothing that was told before counts, unless it has ended and was
    /// acknowledged.
    func storeChanged(isReachable: Bool) {
        for id in order {
            entries[id]?.sent = nil
            entries[id]?.kept = nil
        }
        inFlight = 0
        if isReachable { sendSoon() }
    }

    private func sendSoon() {
        guard gathering == nil else { return }
        let isUrgent = onDrained != nil || order.count > Self.maximumInFlight
        gathering = LoopTimer(afterMilliseconds: isUrgent ? 0 : Self.gatheringTime) { [weak self] in self?.sendNow() }
    }

    /// Before the store is asked for anything else.
    func sendNow() {
        gathering = nil
        send()
    }

    private func send() {
        makeRoom()
        guard host.store.isReachable else { return }
        for id in order where inFlight < Self.maximumInFlight {
            guard let entry = entries[id], entry.sent == nil, entry.kept != entry.record else { continue }
            let record = entry.record
            entry.sent = record
            inFlight += 1
            host.store.call(PrivateMember.Store.record, record.wire, timeoutMilliseconds: 0) { [weak self] result in
                self?.answered(record, result)
            }
        }
    }

    private func answered(_ record: CallRecord, _ result: Result<Message, DBusError>) {
        let id = record.call
        // An answer of a store that has gone counts for nothing.
        guard let entry = entries[id], entry.sent == record else { return }
        entry.sent = nil
        inFlight -= 1
        switch result {
        case .success: entry.kept = record
        case .failure(let error) where error.name == ErrorCode.invalidArguments.busName:
            host.log.error("callkit-store refuses call \(id): \(error.message)")
            entry.kept = record
        case .failure: return
        }
        if entry.record == record, !record.isOpen { forget(id) }
        sendSoon()
        drained()
    }

    private func forget(_ id: CallID) {
        entries[id] = nil
        order.removeAll { $0 == id }
        // What many have needed while the store was away is not kept for few.
        if entries.isEmpty, entries.capacity > Self.maximumInFlight { (entries, order) = ([:], []) }
    }

    /// Lets go of the oldest calls that have ended if too many wait.
    private func makeRoom() {
        var ended = order.count { entries[$0]?.record.isOpen == false }
        guard ended > Self.capacity else { return }
        for id in order where ended > Self.capacity && entries[id]?.record.isOpen == false && entries[id]?.sent == nil {
            forget(id)
            ended -= 1
            dropped += 1
        }
        onChange()
    }

    // MARK: the end

    /// `then` follows when everything is on the disk, or when that takes too long.
    func drain(then: @escaping @LoopActor () -> Void) {
        onDrained = then
        drainTimer = LoopTimer(afterMilliseconds: Self.drainDeadline) { [weak self] in self?.drained(isLate: true) }
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
