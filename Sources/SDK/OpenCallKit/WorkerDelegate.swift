// WorkerDelegate: what callkitd tells a worker before it ends it.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// org.opencallkit.WorkerDelegate1, served on a worker's link.
@LoopActor
final class WorkerDelegateObject {
    private unowned let session: SDKSession

    init(_ session: SDKSession) { self.session = session }

    static let interface = Interface<WorkerDelegateObject>(Contract.workerDelegate) {
        DeferredMethod(ProviderMember.Worker.leave) { (object: WorkerDelegateObject, invocation: VoidInvocation) in
            let session = object.session
            session.connection.leave()
            Task { @LoopActor in
                await session.heard()
                invocation.reply()
            }
        }
    }
}
