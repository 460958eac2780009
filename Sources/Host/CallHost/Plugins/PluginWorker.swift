// One worker process: its link, its hello, its pings and its end.

import CallModel
import DBus
import EventLoop
import WorkerLaunch

/// The process that carries one plugin. Made for each start; never started again. Lives as long as the process does, so
/// that one which does not go when it is asked to is killed, even if its plugin was removed.
@LoopActor
final class PluginWorker {
    let plugin: Plugin
    private var process: WorkerProcess?
    private var helloTimer: LoopTimer?
    private var pingTimer: LoopTimer?
    private(set) var saidHello = false
    /// Why we ended it, if we did.
    private(set) var verdict: String?
    /// Called once, when the process has ended.
    private let onExit: @LoopActor (PluginWorker, ExitStatus) -> Void

    /// Answers are expected within this time; then a ping must be answered within `pingDeadline`.
    private static let patience = 1_000
    private static let pingDeadline = 2_000

    init(
        _ plugin: Plugin, host: CallSystemHost, onExit: @escaping @LoopActor (PluginWorker, ExitStatus) -> Void
    ) throws {
        self.plugin = plugin
        self.onExit = onExit
        let configuration = host.configuration
        let process = try WorkerProcess(
            loading: plugin.path, worker: configuration.workerPath, environment: configuration.environment
        ) { _, status in self.exited(status) }
        self.process = process
        let link = process.link
        host.serveLink(link)
        link.onUnmatchedReply = { [weak host, weak link] message in
            if let link { host?.takeReply(message, on: link) }
        }
        link.onClosed = { [weak self] reason in self?.closed(reason) }
        helloTimer = LoopTimer(afterMilliseconds: Int(configuration.deadlines[.hello])) { [weak self] in
            self?.end("no hello by the deadline")
        }
    }

    var pid: Int32 { process?.pid ?? 0 }
    var link: PrivateLink? { process?.link }

    func helloArrived() {
        saidHello = true
        helloTimer = nil
    }

    /// Something was sent that wants an answer: if the worker is still silent a while later, is it there at all?
    func expectAnswer() {
        guard pingTimer == nil, link?.isOpen == true else { return }
        pingTimer = LoopTimer(afterMilliseconds: Self.patience) { [weak self] in self?.ping() }
    }

    private func ping() {
        guard let message = try? Message.call(at: .root, "org.freedesktop.DBus.Peer", "Ping") else { return }
        link?.call(message, timeoutMilliseconds: Self.pingDeadline) { [weak self] result in
            self?.pingTimer = nil
            if case .failure(let error) = result, Self.meansSilence(error) {
                self?.end("hung: a ping was not answered in \(Self.pingDeadline) ms")
            }
        }
    }

    private static func meansSilence(_ error: DBusError) -> Bool {
        error.name == DBusError.Name.timeout || error.name == DBusError.Name.noReply
    }

    /// Asks the worker to go by closing its link, and kills it if it stays.
    func stop() {
        verdict = verdict ?? ""
        process?.stop()
    }

    /// Ends the worker at once.
    func end(_ reason: String) {
        verdict = verdict ?? reason
        process?.kill()
    }

    private func closed(_ reason: CloseReason) {
        switch reason {
        case .garbage(let text): end("sent garbage: \(text)")
        case .queueFull: end("does not read its messages")
        case .closedHere, .peerClosed, .failed: process?.stop()
        }
        plugin.supervisor?.linkClosed(of: plugin)
    }

    private func exited(_ status: ExitStatus) {
        helloTimer = nil
        pingTimer = nil
        onExit(self, status)
    }
}
