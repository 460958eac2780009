// The worker of a plugin: how it is launched, and what follows from its end.

import CallModel
import DBus
import EventLoop
import Logging
import WorkerLaunch

extension Plugin: SupervisedProcessDelegate {
    func launch(onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void) throws -> LinkedProcess {
        guard let configuration = supervisor?.context.configuration, case .usable(let file) = file else {
            throw CallError(.unknownPlugin, id)
        }
        let library = try file.open()
        let policy = try makePolicy(for: file, configuration)
        let words = try OutputPipe("plugin \(id)")
        defer { words.closeWritingEnd() }
        self.words = words
        let group = makeGroup()
        self.group = group
        return try LinkedProcess(
            loading: path, library, worker: configuration.workerPath, policy: policy, errors: words.writingEnd,
            beforePolicy: { [weak self] pid in self?.bound(pid) },
            // A group can be removed once its worker has ended, which may be after the plugin was removed.
            onExit: { process, status in withExtendedLifetime(group) { onExit(process, status) } })
    }

    func started(on link: PrivateLink) {
        guard let supervisor else { return }
        supervisor.serve(link)
        saidHello = false
        helloTimer = LoopTimer(after: supervisor.context.configuration.deadlines.duration(of: .hello)) {
            [weak self] in
            self?.worker.kill("no hello by the deadline")
        }
        become(.starting, "")
        supervisor.watchWorkers()
        checkFolders()
    }

    func answeredPing() {}

    func linkClosed() { supervisor?.linkClosed(of: self) }

    func ended(_ end: SupervisedProcess.End) {
        helloTimer = nil
        let bound = boundExceeded(end)
        group = nil
        if supervisor?.isStopping == true { buses.end() }
        let lastWords = words?.lastWords().displayable ?? ""
        words = nil
        supervisor?.workerEnded(of: self)
        if isBeingForgotten { return removeFolders() }
        switch (end, state) {
        case (.notStarted(let error as PluginObstacle), _): quarantine(error.description)
        case (.notStarted(let error), _) where Self.isPassing(error):
            awaitsStart = true
            if state != .restarting { supervisor?.context.log.warning("plugin \(id) is started later: \(error)") }
            become(.restarting, "\(error)")
            supervisor?.retryLater()
        case (.notStarted(let error), _): become(.incompatible, "\(error)")
        case (_, .disabled), (_, .incompatible), (_, .quarantined), (_, .needsConsent): become(state, error)
        case (.stopped, .restarting):
            restarts += 1
            start()
        case (.stopped, .starting), (.stopped, .ready): supervisor?.announce(self)
        case (.failed(let status, let reason), _): failed(status, reason, bound, lastWords)
        }
    }

    /// The plugin may write who calls. It has written it to standard error itself; the daemon repeats only what the
    /// Swift runtime says, unless it logs identities.
    private func logged(_ words: String) -> String {
        let isOfRuntime = words.hasPrefix("Swift/") && words.contains(": Fatal error: ")
        return isOfRuntime || supervisor?.context.configuration.logsIdentities == true ? words : "see above"
    }

    /// What is short now may be there later, and a file that was exchanged is looked at again.
    private static func isPassing(_ error: any Error) -> Bool {
        switch error as? PluginFileError {
        case .exchanged: true
        case .unreadable(let error): error.isShortage
        case .some: false
        case nil: (error as? SystemError)?.isShortage ?? ((error as? DBusError)?.name == DBusError.Name.limitsExceeded)
        }
    }

    /// - Parameters:
    ///   - bound: The bound that it died of, if any.
    ///   - lastWords: go to the log only: a plugin may write who calls.
    private func failed(_ status: ExitStatus, _ reason: String?, _ bound: String?, _ lastWords: String) {
        switch status {
        case .exited(ProgramExit.notLoaded.rawValue):
            return become(.incompatible, "the file could not be loaded (see the daemon's standard error)")
        case .exited(ProgramExit.noEntry.rawValue):
            return become(.incompatible, "the file has no entry \(PluginPart.provider.entry)")
        case .exited(ProgramExit.notConfined.rawValue): return become(.incompatible, notConfined)
        default: break
        }
        guard supervisor?.isStopping == false else { return }
        if let bound { return quarantine("its worker \(bound)") }
        let text = reason ?? Self.words(for: status)
        let again = worker.startAgain()
        let said = lastWords.isEmpty ? "" : "; its last words: \(logged(lastWords))"
        let next = again == nil ? "it is quarantined" : "it is started again"
        supervisor?.context.log.warning("plugin \(id): its worker \(text); \(next)\(said)")
        guard again != nil else {
            return become(.quarantined, "\(Self.crashLimit) crashes in 60 s, the last: \(text)")
        }
        restarts += 1
        become(.restarting, text)
    }
}
