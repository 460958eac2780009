// org.opencallkit.Recents1, which callkitd forwards.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class RecentsObject {
    static let path = ContractPath.recents
    static let changed = Signal<Int64>(Contract.recents, "Changed", args: ["id"])

    private unowned let server: StoreServer
    private var recents: Recents { server.recents }

    init(_ server: StoreServer) { self.server = server }

    static let interface = Interface<RecentsObject>(Contract.recents) {
        DeferredMethod(StoreMember.Recents.list) {
            (
                object: RecentsObject, invocation: Invocation<[VariantDictionary]>, filter: VariantDictionary,
                offset: UInt32, limit: UInt32
            ) throws(CallError) in
            let filter = try RecentFilter(wire: filter, object.server.plan)
            object.recents.list(RecentQuery(filter: filter, offset: Int(offset), limit: Int(limit))) { result in
                switch result {
                case .success(let rows): invocation.reply(rows.map(\.wire))
                case .failure(let error): invocation.fail(error)
                }
            }
        }
        DeferredMethod(StoreMember.Recents.markRead) {
            (object: RecentsObject, invocation: VoidInvocation, ids: [Int64]) in
            object.recents.markRead(ids) { $0.answer(invocation) }
        }
        DeferredMethod(StoreMember.Recents.delete) {
            (object: RecentsObject, invocation: VoidInvocation, ids: [Int64]) in
            guard !ids.isEmpty else { return invocation.reply() }
            object.recents.delete(ids) { $0.answer(invocation) }
        }
        DeferredMethod(StoreMember.Recents.clear) { (object: RecentsObject, invocation: VoidInvocation) in
            object.recents.clear { $0.answer(invocation) }
        }
        DeferredMethod(StoreMember.Recents.setRetention) {
            (object: RecentsObject, invocation: VoidInvocation, days: UInt32, rows: UInt32) in
            object.recents.setRetention(Retention(days: days, rows: rows)) { $0.answer(invocation) }
        }
        Property("Degraded") { (object: RecentsObject) in object.server.storage.degraded }
        Property("UnreadMissed") { (object: RecentsObject) in UInt32(clamping: object.recents.summary.unreadMissed) }
        Property("RetentionDays") { (object: RecentsObject) in object.recents.summary.retention.days }
        Property("RetentionRows") { (object: RecentsObject) in object.recents.summary.retention.rows }
        RecentsObject.changed
    }
}
