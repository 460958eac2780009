// ClientInspector: identifies clients of the bus without blocking the event loop.

import DBus
import EventLoop
import Files

/// Identifies any number of clients at the same time.
@LoopActor
final class ClientInspector {
    /// How long the bus may take to answer, and then a root folder to be read, in milliseconds. Only the client itself
    /// waits so long, and a program of the user must not be refused because the machine is busy.
    private static let patience = 5_000
    /// The most threads that may hang in file systems that do not answer.
    private static let maximumStuck = 4

    /// The thread that reads root folders; nil until it is needed.
    private var thread: BackgroundThread?
    private var stuck = 0

    /// Identifies a client, and calls `completion` once, after this method has returned.
    func inspect(_ name: String, on bus: Bus, completion: @escaping @LoopActor (ClientIdentity) -> Void) {
        let arrived = ObservedProcess.ticks
        bus.credentials(of: name, timeoutMilliseconds: Self.patience) { [weak self] answer in
            switch answer {
            case .success(let credentials): self?.inspect(credentials, arrived: arrived, completion)
            case .failure(let error):
                completion(ClientIdentity(.unknown("the bus does not tell who it is: \(error.message)")))
            }
        }
    }

    private func inspect(
        _ credentials: ConnectionCredentials, arrived: UInt64,
        _ completion: @escaping @LoopActor (ClientIdentity) -> Void
    ) {
        do throws(ProcessInspection.NoProcess) {
            let inspection = try ProcessInspection(credentials, arrived: arrived)
            switch inspection.begin() {
            case .identity(let identity): completion(identity)
            case .ownRoot: lookIntoRoot(inspection, process: credentials.process, completion)
            }
        } catch {
            completion(error.identity)
        }
    }

    private func lookIntoRoot(
        _ inspection: ProcessInspection, process: UInt32?, _ completion: @escaping @LoopActor (ClientIdentity) -> Void
    ) {
        if thread == nil, stuck < Self.maximumStuck { thread = try? BackgroundThread("clients", isAwaited: true) }
        guard let thread else {
            return completion(ClientIdentity(.unknown("too many root folders do not answer"), process: process))
        }
        let look = Look(completion)
        look.timer = LoopTimer(afterMilliseconds: Self.patience) { [weak self] in
            // Later looks must not wait for this one.
            if self?.thread === thread { self?.thread = nil }
            self?.stuck += 1
            look.isStuck = true
            look.end(ClientIdentity(.unknown("its root folder does not answer"), process: process))
        }
        thread.post { [weak self] in
            let identity = inspection.lookIntoRoot()
            Loop.shared.post {
                if look.isStuck { self?.stuck -= 1 }
                look.end(identity)
            }
        }
    }

    /// One look into a root folder, which ends once.
    @LoopActor
    private final class Look {
        var timer: LoopTimer?
        var isStuck = false
        private var completion: (@LoopActor (ClientIdentity) -> Void)?

        init(_ completion: @escaping @LoopActor (ClientIdentity) -> Void) { self.completion = completion }

        func end(_ identity: ClientIdentity) {
            timer = nil
            let tell = completion
            completion = nil
            tell?(identity)
        }
    }
}
