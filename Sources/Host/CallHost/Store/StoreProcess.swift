// StoreProcess: one callkit-store, and the link to it.

import DBus
import EventLoop
import Glibc
import WorkerLaunch

/// Made for each start. Lives as long as the process does.
@LoopActor
final class StoreProcess {
    let link: PrivateLink
    private var process: ChildProcess?
    private var killTimer: LoopTimer?
    private var onExit: (@LoopActor (StoreProcess, ExitStatus) -> Void)?

    /// How long it may take to write down what it has once its link is closed, in milliseconds.
    static let exitDeadline = 1_000

    init(
        _ configuration: HostConfiguration, path: String,
        onExit: @escaping @LoopActor (StoreProcess, ExitStatus) -> Void
    ) throws {
        self.onExit = onExit
        let (link, descriptor) = try PrivateLink.pair()
        self.link = link
        defer { close(descriptor) }
        let region = configuration.region.map { ["--region", $0] } ?? []
        let contacts = configuration.contactFolders.flatMap { ["--contacts", $0] }
        process = try ChildProcess.spawn(
            path, ["3"] + region + contacts, environment: WorkerProcess.environment(from: configuration.environment),
            descriptors: [3: descriptor], group: .session
        ) { status in self.exited(status) }
    }

    var pid: Int32 { process?.pid ?? 0 }

    /// Asks it to go by closing its link, and kills it if it stays.
    func stop() {
        link.close()
        guard killTimer == nil, process?.status == nil else { return }
        killTimer = LoopTimer(afterMilliseconds: Self.exitDeadline) { [weak self] in self?.kill() }
    }

    func kill() {
        link.close()
        _ = process?.kill(SIGKILL)
    }

    private func exited(_ status: ExitStatus) {
        killTimer = nil
        link.close()
        let onExit = onExit
        self.onExit = nil
        onExit?(self, status)
    }
}
