// org.opencallkit.DirectoryExtension1 on the bus: what the store says of a plugin's directory.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class DirectoryExtensionProxy {
    private let id: String
    private unowned let host: CallSystemHost
    /// What the store said last; empty before it has said anything.
    private var report: VariantDictionary = [:]
    /// Whether `Report` has the message about the last load, which can quote entries.
    private var hasMessage = false

    init(_ id: String, host: CallSystemHost) {
        self.id = id
        self.host = host
    }

    /// The same object with the message in `Report`, for clients that may know whom a directory blocks and names.
    /// Signals reach every client, so they leave the message out.
    var withMessage: DirectoryExtensionProxy {
        let other = DirectoryExtensionProxy(id, host: host)
        (other.report, other.hasMessage) = (report, true)
        return other
    }

    static let interface = Interface<DirectoryExtensionProxy>(Contract.directoryExtension) {
        Property(
            "Status",
            get: { (object: DirectoryExtensionProxy) throws(CallError) in
                try object.known()["status", default: "disabled"]
            },
            setLater: { (object: DirectoryExtensionProxy, invocation, status: String) in
                object.host.store.ask(PrivateMember.Store.setStatus, object.id, status, for: invocation)
            })
        Property("Report") { (object: DirectoryExtensionProxy) throws(CallError) -> VariantDictionary in
            try object.known().filter { $0.key != "status" && (object.hasMessage || $0.key != "message") }
        }
        DeferredMethod("Reload") { (object: DirectoryExtensionProxy, invocation: VoidInvocation) in
            let limit = Int(object.host.configuration.deadlines[.load]) + loadMargin
            object.host.store.ask(
                PrivateMember.Store.reloadDirectory, object.id, timeoutMilliseconds: limit, for: invocation)
        }
    }

    /// The store itself ends a load in time and says so; a slow disk comes on top, in milliseconds.
    private static let loadMargin = 60_000

    /// Takes over what the store says, and announces what differs.
    func take(_ new: VariantDictionary) {
        let old = report
        report = new
        var changed: [String] = []
        if old["status"] != new["status"] { changed.append("Status") }
        if old.filter({ $0.key != "status" }) != new.filter({ $0.key != "status" }) { changed.append("Report") }
        host.tree.propertiesChanged(at: PluginObject.path(of: id), Contract.directoryExtension, changed)
    }

    /// Nothing is known while the store is away.
    func forget() { take([:]) }

    private func known() throws(CallError) -> VariantDictionary {
        guard host.store.isReachable, !report.isEmpty else { throw host.store.unavailable }
        return report
    }
}

extension StoreSupervisor {
    /// The errors of loads. Their messages can quote entries.
    private static let loadErrors: Set<String> = [
        ErrorCode.loadingInterrupted.busName, ErrorCode.entriesOutOfOrder.busName, ErrorCode.duplicateEntries.busName,
        ErrorCode.maximumEntriesExceeded.busName, ErrorCode.unexpectedIncrementalRemoval.busName,
    ]

    /// Calls a method of the store's own interface and answers a call with its answer.
    fileprivate func ask<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument, timeoutMilliseconds: Int = 20_000,
        for invocation: VoidInvocation
    ) {
        call(member, repeat each arguments, timeoutMilliseconds: timeoutMilliseconds) { [host] result in
            switch result {
            case .success: invocation.reply()
            case .failure(let error) where CallError(error) == nil:
                invocation.fail(
                    CallError(.storeUnavailable, "callkit-store did not answer: \(error.message)"))
            case .failure(let error)
            where Self.loadErrors.contains(error.name) && !host.mayKnowPeople(invocation.context):
                invocation.fail(DBusError(error.name, "the directory was not loaded"))
            case .failure(let error): invocation.fail(error)
            }
        }
    }
}
