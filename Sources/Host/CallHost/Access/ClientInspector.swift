// ClientInspector: identifies clients of the bus without blocking the event loop.

import DBus
import EventLoop
import Files

/// Identifies any number of clients at the same time.
@LoopActor
final class ClientInspector {
    /// How long the bus may take to answer, and then a root folder to be read. Only the client itself
    /// waits so long, and a program of the user must not be refused because the machine is busy.
    private static let inspectionTimeout = Duration.seconds(5)
    /// The most threads that may hang in file systems that do not answer.
    private static let maximumStuck = 4

    /// The thread that reads root folders; nil until it is needed.
    private var thread: BackgroundThread?
    private var stuck = 0

    /// Identifies a client, and calls `completion` once, after this method has returned.
    func inspect(_ name: String, on bus: Bus, completion: @escaping @LoopActor (ClientIdentity) -> Void) {
        let arrived = ObservedProcess.ticks
        bus.credentials(of: name, timeout: Self.inspectionTimeout) { [weak self] answer in
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
        look.timer = LoopTimer(after: Self.inspectionTimeout) { [weak self] in
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

/// Inspects the process behind a connection. docs/trust.md has the rules. What the process itself can influence can
/// only turn it into an app or an unknown app, never into a program of the user.
struct ProcessInspection: Sendable {
    /// The program that connects to the bus on behalf of sandboxed apps.
    private static let proxy = "xdg-dbus-proxy"

    private let credentials: ConnectionCredentials
    private let process: ObservedProcess
    /// When the first message of the connection arrived, in clock ticks since the system was started.
    private let arrived: UInt64
    private let program: String

    /// The result of the first step.
    enum Finding: Sendable, Equatable {
        case identity(ClientIdentity)
        /// The process has another root folder or other mounts, so that its root folder must be read. That may block.
        case ownRoot
    }

    /// - Throws: The identity of a client whose process cannot be inspected.
    init(_ credentials: ConnectionCredentials, arrived: UInt64) throws(NoProcess) {
        guard let id = credentials.process, credentials.user != nil else {
            throw NoProcess(identity: ClientIdentity(.unknown("the bus does not know its process")))
        }
        do throws(SystemError) {
            process = try ObservedProcess(id, descriptor: credentials.descriptor?.number)
        } catch {
            throw NoProcess(identity: ClientIdentity(.unknown("its process cannot be observed: \(error)"), process: id))
        }
        self.credentials = credentials
        self.arrived = arrived
        program = process.program
    }

    struct NoProcess: Error {
        let identity: ClientIdentity
    }

    /// Takes the steps that cannot block, because they read files of the kernel only.
    func begin() -> Finding {
        do throws(SystemError) {
            let finding = try firstFinding()
            return process.isAlive ? finding : .identity(unknown("its process has ended"))
        } catch {
            return .identity(unknown("its process cannot be observed: \(error)"))
        }
    }

    /// Reads `.flatpak-info` in the root folder of the process. This may block, because the folder can be on any file
    /// system.
    func lookIntoRoot() -> ClientIdentity {
        let identity: ClientIdentity
        do throws(SystemError) {
            if let text = try process.file(inRoot: ".flatpak-info", longest: FlatpakInfo.longest) {
                identity = FlatpakInfo(text: text).map { client(.app($0.app)) } ?? unknown("its sandbox names no app")
            } else {
                // A container, or a service of the user with mounts of its own, such as a portal.
                identity = outside()
            }
        } catch {
            identity = unknown("its sandbox cannot be read: \(error)")
        }
        return process.isAlive ? identity : unknown("its process has ended")
    }

    private func firstFinding() throws(SystemError) -> Finding {
        guard try process.started() <= arrived else {
            return .identity(unknown("its process has ended, and another one has its id"))
        }
        let user = try process.user()
        guard user == credentials.user else { return .identity(unknown("its process has become another user's")) }
        guard user == FileStatus.currentUser || user == 0 else {
            return .identity(unknown("it is a program of user \(user)"))
        }
        let cgroup = try process.text(of: "cgroup")
        if let snap = SnapName.of(label: credentials.label) ?? SnapName.of(cgroup: cgroup) {
            return .identity(client(.app(snap)))
        }
        // Root can control all programs of the user anyway.
        if user != FileStatus.currentUser { return .identity(client(.user)) }
        guard let view = process.link("ns/mnt"), let root = process.link("root") else {
            // A process that is not dumpable hides these links, but not its mounts. Each mount has a unique id, so the
            // list equals ours only in our mount namespace.
            let own = try ObservedProcess.current().text(of: "mountinfo")
            guard try process.text(of: "mountinfo") == own else {
                return .identity(unknown("its root folder cannot be read"))
            }
            return .identity(outside())
        }
        let own = try ObservedProcess.current()
        return view == own.link("ns/mnt") && root == own.link("root") ? .identity(outside()) : .ownRoot
    }

    private func outside() -> ClientIdentity {
        program == Self.proxy ? unknown("\(Self.proxy) speaks for an app that it does not name") : client(.user)
    }

    private func client(_ kind: ClientIdentity.Kind) -> ClientIdentity {
        ClientIdentity(kind, process: process.id, since: try? process.started(), program: program)
    }

    private func unknown(_ reason: String) -> ClientIdentity { client(.unknown(reason)) }
}
