// org.opencallkit.Recents1 on the bus: handed on to the store, but for what the host knows or does itself.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class RecentsProxy {
    private unowned let context: HostContext
    private unowned let clients: any ClientGate
    private unowned let store: StoreSupervisor
    private unowned let recents: RecentsRecorder
    private let reader: RequestReader
    /// What the store said last of its properties.
    private var properties: VariantDictionary = [
        "UnreadMissed": .uint32(0)
    ]
    /// What was told of Degraded last.
    private var toldDegraded = ""

    init(
        _ context: HostContext, _ clients: any ClientGate, _ store: StoreSupervisor, _ recents: RecentsRecorder,
        _ reader: RequestReader
    ) {
        self.context = context
        self.clients = clients
        self.store = store
        self.recents = recents
        self.reader = reader
    }

    static let interface = Interface<RecentsProxy>(Contract.recents) {
        ForwardedMethod(StoreMember.Recents.list, list)
        ForwardedMethod(StoreMember.Recents.get, forward)
        ForwardedMethod(StoreMember.Recents.markRead, forward)
        ForwardedMethod(StoreMember.Recents.markAllRead, forward)
        ForwardedMethod(StoreMember.Recents.delete, forward)
        ForwardedMethod(StoreMember.Recents.clear, forward)
        ForwardedMethod(StoreMember.Recents.setRetention, forward)
        DeferredMethod("CallBack", in: ["id", "options"], out: ["call"]) {
            (object: RecentsProxy, invocation: Invocation<ObjectPath>, id: Int64, options: VariantDictionary) in
            object.callBack(id, options, invocation)
        }
        Property("Degraded") { (object: RecentsProxy) in object.degraded }
        Property("UnreadMissed") { (object: RecentsProxy) in object.number("UnreadMissed") }
        Property("RetentionDays") { (object: RecentsProxy) throws(CallError) in try object.known("RetentionDays") }
        Property("RetentionRows") { (object: RecentsProxy) throws(CallError) in try object.known("RetentionRows") }
        Signal<Int64>(Contract.recents, "Changed", args: ["id"])
    }

    private static func list(_ object: RecentsProxy, _ context: CallContext) throws(CallError) {
        if let (filter, _, _) = try? context.message.read(VariantDictionary.self, UInt32.self, UInt32.self) {
            object.clients.noteUnknownKeys(in: filter, besides: StoreMember.Recents.filterKeys, from: context)
        }
        try forward(object, context)
    }

    private static func forward(_ object: RecentsProxy, _ context: CallContext) throws(CallError) {
        // The answer includes everything that happened before.
        let recents = object.recents
        try object.store.forward(context) { recents.sendAll() }
    }

    private func number(_ name: String) -> UInt32 { properties[name, default: 0] }

    /// - Throws: `StoreUnavailable` until the store has said it for the first time.
    private func known(_ name: String) throws(CallError) -> UInt32 {
        guard properties[name] != nil else { throw store.unavailable }
        return number(name)
    }

    /// Why not everything is as it should be, and how many calls were lost by it.
    var degraded: String {
        let own: String = properties["Degraded", default: ""]
        let reason = store.isReachable ? own.displayable : store.absence
        let dropped = recents.dropped
        let loss = dropped > 0 ? "\(dropped) calls could not be kept" : ""
        return [reason, loss].filter { !$0.isEmpty }.joined(separator: "; ")
    }

    // MARK: what the store says

    /// Reads the properties of a store that was started.
    func storeChanged(isReachable: Bool) {
        announceDegraded()
        guard isReachable, let link = store.link,
            let read = try? Message.call(at: .recents, Contract.recents, "Get", [Int64]()),
            let properties = try? Message.call(
                at: .recents, StandardInterface.properties, "GetAll", Contract.recents)
        else { return }
        // The first call is answered once the file has been read.
        link.call(read, timeout: .seconds(5)) { [weak self, weak link] _ in
            link?.call(properties, timeout: .seconds(5)) { result in
                if case .success(let answer) = result, let values = try? answer.read(VariantDictionary.self) {
                    self?.merge(values)
                }
                self?.store.introduced()
            }
        }
    }

    /// Receives the store's signal that its properties have changed.
    func receive(_ signal: Message) {
        guard let (interface, values, _) = try? signal.read(String.self, VariantDictionary.self, [String].self),
            interface == Contract.recents
        else { return }
        merge(values)
    }

    private func merge(_ values: VariantDictionary) {
        let changed = values.filter { properties[$0.key] != $0.value }.map(\.key)
        properties.merge(values) { _, new in new }
        context.tree.propertiesChanged(at: .recents, Contract.recents, changed.filter { $0 != "Degraded" })
        announceDegraded()
    }

    func announceDegraded() {
        guard degraded != toldDegraded else { return }
        toldDegraded = degraded
        context.tree.propertiesChanged(at: .recents, Contract.recents, ["Degraded"])
    }

    // MARK: calling back

    private func callBack(_ id: Int64, _ options: VariantDictionary, _ invocation: Invocation<ObjectPath>) {
        store.call(
            PrivateMember.Store.recent, id, timeout: .seconds(5), for: invocation.context,
            before: { [recents] in recents.sendAll() }
        ) { [weak self] result in
            guard let self else { return }
            do {
                let row = try result.get().read(VariantDictionary.self)
                let request = try request(row, id, options, invocation.context)
                context.ask(request) { $0.answer(invocation) }
            } catch let error as DBusError where CallError(error) == nil {
                invocation.fail(CallError(.storeUnavailable, "callkit-store did not answer: \(error.message)"))
            } catch {
                invocation.fail(error)
            }
        }
    }

    /// The request that calls the other party of a row.
    private func request(
        _ row: VariantDictionary, _ id: Int64, _ options: VariantDictionary, _ caller: CallContext
    ) throws(CallError) -> Request {
        let record = try CallRecord(wire: row)
        guard let handle = record.handle else {
            throw CallError(.invalidArguments, "recent \(id) has no handle to call")
        }
        var arguments = options
        arguments.set("handle", handle.wire)
        if arguments["video"] == nil { arguments.set("video", record.video) }
        if arguments["provider"] == nil, context.core.providers[record.provider]?.isReady == true {
            arguments.set("provider", ObjectPath.provider(record.provider))
        }
        let request = try reader.startRequest(arguments, options, caller)
        return try clients.permittedCallBack(request, caller)
    }
}
