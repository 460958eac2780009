// org.opencallkit.DirectoryExtension1 on the bus: what the store says of a plugin's directory.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class DirectoryExtensionProxy {
    private let id: String
    private unowned let context: HostContext
    private unowned let store: StoreSupervisor
    /// What the store said last; empty before it has said anything.
    private var report: VariantDictionary = [:]

    init(_ id: String, _ context: HostContext, _ store: StoreSupervisor) {
        self.id = id
        self.context = context
        self.store = store
    }

    static let interface = Interface<DirectoryExtensionProxy>(Contract.directoryExtension) {
        Property(
            "Status",
            get: { (object: DirectoryExtensionProxy) throws(CallError) in
                try object.known()["status", default: "disabled"]
            },
            setLater: { (object: DirectoryExtensionProxy, invocation, status: String) in
                object.store.ask(PrivateMember.Store.setStatus, object.id, status, for: invocation)
            })
        Property("Report") { (object: DirectoryExtensionProxy) throws(CallError) -> VariantDictionary in
            try object.known().filter { !otherProperties.contains($0.key) }
        }
        // It can quote entries, so it is not broadcast.
        Property("ErrorMessage", changes: .invalidates) {
            (object: DirectoryExtensionProxy) throws(CallError) -> String in
            try object.known()["message", default: ""]
        }
        // They name the user's files.
        Property("Complaints", changes: .invalidates) {
            (object: DirectoryExtensionProxy) throws(CallError) -> [String] in
            try object.known()["complaints", default: []]
        }
        DeferredMethod("Reload") { (object: DirectoryExtensionProxy, invocation: VoidInvocation) in
            let limit = object.context.configuration.deadlines.duration(of: .load) + loadMargin
            object.store.ask(
                PrivateMember.Store.reloadDirectory, object.id, timeout: limit, for: invocation)
        }
    }

    /// The store itself ends a load in time and says so; a slow disk comes on top.
    private static let loadMargin = Duration.seconds(60)

    /// The keys of what the store says that are not in `Report`.
    private static let otherProperties: Set<String> = ["status", "message", "complaints"]

    /// Takes over what the store says, and announces what differs.
    func update(_ new: VariantDictionary) {
        let old = report
        report = new
        var changed: [String] = []
        if old["status"] != new["status"] { changed.append("Status") }
        let isOfReport: ((key: String, value: Variant)) -> Bool = { !Self.otherProperties.contains($0.key) }
        if old.filter(isOfReport) != new.filter(isOfReport) { changed.append("Report") }
        if old["message"] != new["message"] { changed.append("ErrorMessage") }
        if old["complaints"] != new["complaints"] { changed.append("Complaints") }
        context.tree.propertiesChanged(at: ObjectPath.plugin(id), Contract.directoryExtension, changed)
    }

    /// Nothing is known while the store is away.
    func forget() { update([:]) }

    private func known() throws(CallError) -> VariantDictionary {
        guard store.isReachable, !report.isEmpty else { throw store.unavailable }
        return report
    }
}

extension StoreSupervisor {
    /// The errors of loads. Their messages can quote entries.
    private static let loadErrors: Set<String> = [
        ErrorCode.loadingInterrupted.busName, ErrorCode.entriesOutOfOrder.busName, ErrorCode.duplicateEntries.busName,
        ErrorCode.maximumEntriesExceeded.busName, ErrorCode.unexpectedIncrementalRemoval.busName,
    ]

    /// Calls a method of the store's own interface, when it is the client's turn, and answers a call with its answer.
    fileprivate func ask<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeout: Duration = .seconds(20),
        for invocation: VoidInvocation
    ) {
        // A plugin may take minutes.
        call(
            member, repeat each arguments, timeout: timeout, for: invocation.context,
            isAwaited: false
        ) { [clients] result in
            switch result {
            case .success: invocation.reply()
            case .failure(let error) where CallError(error) == nil:
                invocation.fail(
                    CallError(.storeUnavailable, "callkit-store did not answer: \(error.message)"))
            case .failure(let error)
            where Self.loadErrors.contains(error.name) && !clients.mayKnowPeople(invocation.context):
                invocation.fail(DBusError(error.name, "the directory was not loaded"))
            case .failure(let error): invocation.fail(error)
            }
        }
    }
}
