// MissedCallNotifications: tells of the calls that were missed and not seen.

import CallClient
import CallModel
import DBus
import EventLoop

/// One notification for all missed calls of a party, from the rows of Recents1 that the user has not seen. Those that
/// were missed before the agent started share one notification.
@LoopActor
final class MissedCallNotifications {
    /// Called with a request that was refused.
    var onFailure: (@LoopActor (String, DBusError) -> Void)?

    private let context: DesktopContext
    private let board: NotificationBoard
    private var groups: [String: MissedCalls] = [:]
    /// The rows that the first reading has found, if they are of several parties.
    private var earlier: Set<UInt64>?
    /// The newest row of each group that the user has dismissed. A newer one is told of.
    private var dismissed: [String: UInt64] = [:]
    private var isReading = false
    private var isOutdated = false

    /// The most rows that are looked at.
    private static let maximumRows: UInt32 = 50
    private static let earlierKey = "missed earlier"

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
    }

    func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared, .recentsChanged: read()
        case .changed(_, interface: Contract.recents, let values, _, _, _) where values["UnreadMissed"] != nil: read()
        case .vanished, .busLost: take([])
        default: break
        }
    }

    /// Shows what is shown anew, after the screen was locked or unlocked.
    func update() {
        for key in groups.keys { show(key) }
    }

    /// Reads the rows; changes meanwhile lead to one more reading.
    private func read() {
        guard !isReading else { return isOutdated = true }
        isReading = true
        isOutdated = false
        let filter: VariantDictionary = ["missed": .bool(true)]
        context.model.request(
            DaemonPath.recents, Contract.recents, "List", filter, UInt32(0), Self.maximumRows,
            timeoutMilliseconds: CallSystemModel.quickMilliseconds
        ) { [weak self] result in
            guard let self else { return }
            isReading = false
            // A daemon that has left meanwhile is not asked about.
            if context.model.hasBegun, case .success(let reply) = result,
                let rows = try? reply.read([VariantDictionary].self)
            {
                take(rows.map(MissedCall.init).filter { $0.isUnseen })
            }
            if isOutdated { read() }
        }
    }

    private func take(_ calls: [MissedCall]) {
        if earlier == nil, context.model.hasBegun {
            earlier = Set(calls.map(\.key)).count > 1 ? Set(calls.map(\.id)) : []
        }
        let found = Dictionary(grouping: calls) { earlier?.contains($0.id) == true ? Self.earlierKey : $0.key }
        for key in Set(groups.keys).subtracting(found.keys) {
            groups[key] = nil
            board.withdraw(key)
            // What is away with the daemon comes back with it, and stays dismissed.
            if context.model.hasBegun { dismissed[key] = nil }
        }
        groups = found.compactMapValues(MissedCalls.init)
        update()
    }

    private func show(_ key: String) {
        guard let calls = groups[key], dismissed[key] != calls.last.id else { return }
        let isAnonymous = context.screenLock.isLocked && !context.settings.values.showsNamesWhenLocked
        let provider = provider(withID: calls.last.text("provider-id"))
        board.show(key, .missed(calls, provider: provider, isAnonymous: isAnonymous)) { [weak self] action in
            self?.chosen(action, key, calls)
        } closed: { [weak self] in
            self?.dismissed[key] = calls.last.id
        }
    }

    /// The name of a provider for people; one that has left is called by its id.
    private func provider(withID id: String) -> String {
        let provider = context.model.state.providers.values.first { $0.text("Id") == id }
        return provider.map { $0.text("LocalizedName") } ?? id
    }

    private func chosen(_ action: String, _ key: String, _ calls: MissedCalls) {
        switch action {
        case "call-back":
            request("Calling back", key, "CallBack", Int64(clamping: calls.last.id), VariantDictionary()) {
                [weak self] in self?.request("Marking as read", key, "MarkRead", calls.ids) {}
            }
        case "mark-read": request("Marking as read", key, "MarkRead", calls.ids) {}
        default: break
        }
    }

    private func request<each Argument: DBusType>(
        _ action: String, _ key: String, _ member: String, _ arguments: repeat each Argument,
        done: @escaping @LoopActor () -> Void
    ) {
        context.model.request(DaemonPath.recents, Contract.recents, member, repeat each arguments) { [weak self] in
            guard case .failure(let error) = $0 else { return done() }
            self?.onFailure?(action, error)
            // The server may have closed it with the click.
            self?.dismissed[key] = nil
            self?.board.showAgain(key)
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

    var ids: [Int64] { calls.map { Int64(clamping: $0.id) } }
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
    var party: String {
        text("name").isEmpty && !canBeCalled ? "a withheld number" : party("name", "handle").displayable
    }
    /// What calls of one party have in common.
    var key: String {
        let (type, value) = handle("handle")
        return value.isEmpty ? "missed withheld" : "missed \(type):\(value)"
    }
}

extension DesktopNotification {
    /// The most parties that are named.
    private static var maximumNamed: Int { 3 }

    fileprivate static func missed(
        _ missed: MissedCalls, provider: String, isAnonymous: Bool
    ) -> DesktopNotification {
        let (count, parties) = (missed.calls.count, missed.parties)
        let calls = count == 1 ? "Missed call" : "\(count) missed calls"
        let isOne = parties.count == 1
        var lines = isOne ? ["via \(provider.displayable)"] : []
        if !isOne, !isAnonymous {
            lines = parties.prefix(maximumNamed).map(\.party)
            let more = parties.count - lines.count
            if more > 0 { lines.append("and \(more) \(more == 1 ? "other" : "others")") }
        }
        let callBack = Action(key: "call-back", label: "Call Back")
        return DesktopNotification(
            title: isOne && !isAnonymous ? "\(calls) from \(missed.last.party)" : calls,
            body: lines.joined(separator: "\n"),
            actions: (isOne && missed.last.canBeCalled && !isAnonymous ? [callBack] : [])
                + [Action(key: "mark-read", label: "Mark as Read")],
            command: "callctl recents --missed", category: "call.unanswered", icon: "call-missed", isLasting: true)
    }
}
