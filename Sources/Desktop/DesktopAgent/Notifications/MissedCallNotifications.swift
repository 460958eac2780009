// MissedCallNotifications: tells of the calls that were missed and not seen.

import CallClient
import CallModel
import DBus
import EventLoop

/// One notification for all missed calls, from the rows of Recents1 that the user has not seen.
@LoopActor
final class MissedCallNotifications {
    /// Called with a request that was refused.
    var onFailure: (@LoopActor (String, DBusError) -> Void)?

    private let context: DesktopContext
    private let board: NotificationBoard
    private var missed: MissedCalls?
    /// The newest row that the user has dismissed. Newer ones are told of.
    private var dismissed: UInt64 = 0
    private var isReading = false
    private var isOutdated = false

    /// The most rows that are looked at.
    private static let maximumRows: UInt32 = 50
    private static let key = "missed"

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
    }

    func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared, .recentsChanged: read()
        case .changed(_, interface: Contract.recents, let values, _, _, _) where values["UnreadMissed"] != nil: read()
        case .vanished, .busLost: show([])
        default: break
        }
    }

    /// Shows what is shown anew, after the screen was locked or unlocked.
    func update() {
        guard let missed else { return board.withdraw(Self.key) }
        board.show(Self.key, .missed(missed, provider(of: missed.last), hidesNames: context.hidesNames)) {
            [weak self] in
            self?.chosen($0, missed)
        } closed: { [weak self] in
            self?.dismissed = missed.last.id
            self?.missed = nil
            self?.update()
        }
    }

    /// Reads the rows; changes meanwhile lead to one more reading.
    private func read() {
        guard !isReading else { return isOutdated = true }
        isReading = true
        isOutdated = false
        let filter: VariantDictionary = ["missed": .bool(true)]
        context.model.request(
            DaemonPath.recents, Contract.recents, "List", filter, UInt32(0), Self.maximumRows,
            timeout: CallSystemModel.quickTimeout
        ) { [weak self] result in
            guard let self else { return }
            isReading = false
            // A daemon that has left meanwhile is not asked about.
            if context.model.hasBegun, case .success(let reply) = result,
                let rows = try? reply.read([VariantDictionary].self)
            {
                show(rows.map(MissedCall.init).filter { $0.isUnseen })
            }
            if isOutdated { read() }
        }
    }

    private func show(_ calls: [MissedCall]) {
        // What is away with the daemon comes back with it, and stays dismissed. The number of a deleted row may come back.
        if context.model.hasBegun { dismissed = min(dismissed, calls.map(\.id).max() ?? 0) }
        missed = MissedCalls(calls.filter { $0.id > dismissed })
        update()
    }

    /// The name of a call's provider for people; one that has left is called by its id.
    private func provider(of call: MissedCall) -> String {
        let id = call.text("provider-id")
        let provider = context.model.state.providers.values.first { $0.id.rawValue == id }
        return (provider?.configuration.localizedName ?? id).displayable
    }

    private func chosen(_ action: String, _ missed: MissedCalls) {
        if action == MissedCalls.markRead { return request("Marking as read", "MarkRead", missed.ids) {} }
        guard let party = missed.parties.first(where: { $0.action == action }) else { return }
        request("Calling back", "CallBack", Int64(clamping: party.id), VariantDictionary()) { [weak self] in
            self?.request("Marking as read", "MarkRead", missed.ids(of: party)) {}
        }
    }

    private func request<each Argument: DBusType>(
        _ action: String, _ member: String, _ arguments: repeat each Argument, done: @escaping @LoopActor () -> Void
    ) {
        context.model.request(DaemonPath.recents, Contract.recents, member, repeat each arguments) { [weak self] in
            guard case .failure(let error) = $0 else { return done() }
            self?.onFailure?(action, error)
            self?.board.showAgain(Self.key)
        }
    }
}

/// The missed calls that one notification tells of.
private struct MissedCalls {
    let calls: [MissedCall]
    let last: MissedCall

    /// - Returns: nil without calls.
    init?(_ calls: [MissedCall]) {
        guard let last = calls.max(by: { $0.id < $1.id }) else { return nil }
        self.calls = calls
        self.last = last
    }

    static let markRead = "mark-read"

    var ids: [Int64] { calls.map { Int64(clamping: $0.id) } }
    func ids(of party: MissedCall) -> [Int64] {
        calls.filter { $0.key == party.key }.map { Int64(clamping: $0.id) }
    }
    /// The last call of each party, newest first.
    var parties: [MissedCall] {
        Dictionary(grouping: calls, by: \.key).values.compactMap { $0.max { $0.id < $1.id } }.sorted { $0.id > $1.id }
    }
}

/// A row of a call that was missed.
private struct MissedCall: Readable {
    let properties: VariantDictionary

    init(_ properties: VariantDictionary) { self.properties = properties }

    var id: UInt64 { count("id") }
    /// A call that was filtered is not told of: the user wants no notice of it.
    var isUnseen: Bool { flag("missed") && !flag("read") && !flag("open") && text("filtered").isEmpty }
    var canBeCalled: Bool { !handle("handle").value.isEmpty }
    /// The key of the button that calls back.
    var action: String { "call-back \(id)" }
    var party: String {
        text("name").isEmpty && !canBeCalled ? "a withheld number" : party("name", "handle").displayable
    }
    private static let longestName = 32
    /// The name on the button.
    var shortName: String { String((text("name").isEmpty ? party : text("name").displayable).prefix(Self.longestName)) }
    /// What calls of one party have in common.
    var key: String {
        let (type, value) = handle("handle")
        return value.isEmpty ? "" : "\(type):\(value)"
    }
}

extension DesktopNotification {
    /// The most parties that are named, and the most that have a button: servers draw three, with Mark as Read.
    private static var maximumNamed: Int { 3 }
    private static var maximumCalled: Int { 2 }

    fileprivate static func missed(
        _ missed: MissedCalls, _ provider: String, hidesNames: Bool
    ) -> DesktopNotification {
        let (count, parties) = (missed.calls.count, missed.parties)
        let calls = count == 1 ? "Missed call" : "\(count) missed calls"
        let isOne = parties.count == 1
        var lines = isOne ? ["via \(provider)"] : []
        if !isOne, !hidesNames {
            lines = parties.prefix(maximumNamed).map(\.party)
            let more = parties.count - lines.count
            if more > 0 { lines.append("and \(more) \(more == 1 ? "other" : "others")") }
        }
        let called = hidesNames ? [] : parties.filter(\.canBeCalled).prefix(maximumCalled)
        return DesktopNotification(
            title: isOne && !hidesNames ? "\(calls) from \(missed.last.party)" : calls,
            body: lines.joined(separator: "\n"),
            actions: called.map { Action(key: $0.action, label: isOne ? "Call Back" : "Call \($0.shortName)") }
                + [Action(key: MissedCalls.markRead, label: "Mark as Read")],
            command: "callctl recents --missed", category: "call.unanswered", stay: .waiting, isListed: true)
    }
}
