// org.opencallkit.Recents1, which callkitd forwards.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class RecentsObject {
    static let path = ObjectPath.recents
    static let changed = Signal<Int64>(Contract.recents, "Changed", args: ["id"])

    private unowned let server: StoreServer
    private var recents: Recents { server.recents }

    init(_ server: StoreServer) { self.server = server }

    static let interface = Interface<RecentsObject>(Contract.recents) {
        DeferredMethod(StoreMember.Recents.list) {
            (
                object: RecentsObject, invocation: Invocation<[VariantDictionary]>, filter: VariantDictionary,
                offset: UInt32, limit: UInt32
            ) in
            let filter = try RecentFilter(wire: filter, object.server.plan)
            let query = RecentQuery(filter: filter, offset: Int(offset), limit: Int(limit))
            try object.recents.answer(invocation) { try query.rows($0) }
        }
        DeferredMethod(StoreMember.Recents.get) {
            (object: RecentsObject, invocation: Invocation<[VariantDictionary]>, ids: [Int64]) in
            guard ids.count <= RecentQuery.maximumRows else {
                throw CallError(.limitsExceeded, "\(ids.count) ids, expected at most \(RecentQuery.maximumRows)")
            }
            try object.recents.answer(invocation) { try RecentTable.rows(ids, $0) }
        }
        DeferredMethod(StoreMember.Recents.markRead) {
            (object: RecentsObject, invocation: Invocation<UInt32>, ids: [Int64]) in
            guard !ids.isEmpty else { return invocation.reply(0) }
            object.recents.change(ids, then: { $0.answer(invocation) }, { try RecentTable.markRead(ids, $0) })
        }
        DeferredMethod(StoreMember.Recents.markAllRead) {
            (object: RecentsObject, invocation: Invocation<UInt32>) in
            object.recents.markAllRead { $0.answer(invocation) }
        }
        DeferredMethod(StoreMember.Recents.delete) {
            (object: RecentsObject, invocation: Invocation<UInt32>, ids: [Int64]) in
            guard !ids.isEmpty else { return invocation.reply(0) }
            object.recents.change(ids, then: { $0.answer(invocation) }, { try RecentTable.delete(ids, $0) })
        }
        DeferredMethod(StoreMember.Recents.clear) { (object: RecentsObject, invocation: VoidInvocation) in
            object.recents.clear { $0.answer(invocation) }
        }
        DeferredMethod(StoreMember.Recents.setRetention) {
            (object: RecentsObject, invocation: VoidInvocation, days: UInt32, rows: UInt32) in
            let retention = Retention(days: days, rows: rows)
            object.recents.change([], then: { $0.answer(invocation) }, { try retention.store($0) })
        }
        Property("Degraded") { (object: RecentsObject) in object.server.degraded }
        Property("UnreadMissed") { (object: RecentsObject) in UInt32(clamping: object.recents.summary.unreadMissed) }
        Property("RetentionDays") { (object: RecentsObject) in object.recents.summary.retention.days }
        Property("RetentionRows") { (object: RecentsObject) in object.recents.summary.retention.rows }
        RecentsObject.changed
    }
}
