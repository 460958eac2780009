// MissedCallNotifications: tells of the calls that were missed and not seen.

import CallClient
import CallModel
import DBus
import EventLoop

/// One notification for all missed calls of a party, from the rows of Recents1 that the user has not seen.
@LoopActor
final class MissedCallNotifications {
    /// Called with a request that was refused.
    var onFailure: (@LoopActor (String, DBusError) -> Void)?

    private let context: DesktopContext
    private let board: NotificationBoard
    private var shown: Set<String> = []
    private var isReading = false
    private var isOutdated = false
    /// The parties that the user has dismissed, with the newest row that was shown: they are shown again for a newer one.
    private var newest: [String: UInt64] = [:]

    /// The most rows that are looked at.
    private static let maximumRows: UInt32 = 50
    private static let prefix = "missed "

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
        context.screenLock.observe { [weak self] in
            self?.newest = [:]
            self?.read()
        }
    }

    func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared, .recentsChanged: read()
        case .changed(_, interface: Contract.recents, let values, _, _, _) where values["UnreadMissed"] != nil: read()
        case .vanished, .busLost: show([])
        default: break
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
            timeoutMilliseconds: CallSystemModel.quickMilliseconds
        ) { [weak self] result in
            guard let self else { return }
            isReading = false
            if case .success(let reply) = result, let rows = try? reply.read([VariantDictionary].self) {
                show(rows.map(MissedCall.init).filter { $0.isUnseen })
            }
            if isOutdated { read() }
        }
    }

    private func show(_ calls: [MissedCall]) {
        let parties = Dictionary(grouping: calls) { Self.prefix + $0.key }
        for key in shown.subtracting(parties.keys) {
            shown.remove(key)
            newest[key] = nil
            board.withdraw(key)
        }
        let isAnonymous = context.screenLock.isLocked && !context.settings.values.showsNamesWhenLocked
        for (key, calls) in parties {
            guard let last = calls.max(by: { $0.id < $1.id }), newest[key] != last.id else { continue }
            newest[key] = last.id
            shown.insert(key)
            let ids = calls.map { Int64(clamping: $0.id) }
            board.show(key, .missed(last, count: calls.count, isAnonymous: isAnonymous)) { [weak self] action in
                self?.chosen(action, last, ids)
            }
        }
    }

    private func chosen(_ action: String, _ call: MissedCall, _ ids: [Int64]) {
        if action == "call-back" {
            request("Calling back", "CallBack", Int64(clamping: call.id), VariantDictionary())
        }
        if action == "call-back" || action == "mark-read" { request("Marking as read", "MarkRead", ids) }
    }

    private func request<each Argument: DBusType>(
        _ action: String, _ member: String, _ arguments: repeat each Argument
    ) {
        context.model.request(DaemonPath.recents, Contract.recents, member, repeat each arguments) { [weak self] in
            if case .failure(let error) = $0 { self?.onFailure?(action, error) }
        }
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
    /// What calls of one party have in common.
    var key: String {
        let (type, value) = handle("handle")
        return value.isEmpty ? "withheld" : "\(type):\(value)"
    }
}

extension DesktopNotification {
    fileprivate static func missed(_ call: MissedCall, count: Int, isAnonymous: Bool) -> DesktopNotification {
        let party = isAnonymous ? "" : call.party("name", "handle").displayable
        let calls = count == 1 ? "Missed call" : "\(count) missed calls"
        let actions =
            (call.canBeCalled && !isAnonymous ? [Action(key: "call-back", label: "Call Back")] : [])
            + [Action(key: "mark-read", label: "Mark as Read")]
        return DesktopNotification(
            title: party.isEmpty ? calls : "\(calls) from \(party)",
            body: "via \(call.text("provider-id").displayable)",
            actions: actions, category: "call.unanswered", icon: "call-missed", isLasting: true)
    }
}
