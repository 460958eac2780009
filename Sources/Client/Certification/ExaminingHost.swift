// ExaminingHost: the process of a provider, and the scripted host that it talks to.

import CallModel
import CallWire
import DBus
import EventLoop
import Glibc
import WorkerLaunch

/// The host's end of a worker's link, or of a bus. It uses the provider protocol as callkitd does, decides nothing, and
/// keeps the provider's reports.
@LoopActor
final class ExaminingHost {
    static let root = ObjectPath.system

    /// The maximum number of ringing calls of a provider.
    static let maximumIncoming = 16

    /// The arguments of Hello.
    struct Greeting: Sendable {
        let version: UInt32
        let sdkVersion: String
    }

    /// The id of the plugin, or of a provider on the bus.
    let id: String
    /// Of the plugin; empty for a library alone and for a program.
    let resourceFolder: String
    let log: IncidentLog
    /// The time limit for an answer.
    let answerTimeout: Duration
    private let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.limitsExceeded.busName)
    private(set) var process: (any Examinee)?
    private let output: WorkerOutput
    let sound: SoundTrap
    private var waiters: [(id: Int, condition: @LoopActor () -> Bool, continuation: CheckedContinuation<Bool, Never>)] =
        []
    private var lastWaiter = 0
    /// The calls to the plugin, by their serials.
    private var asked: [UInt32: PendingAnswer] = [:]

    /// Whether the host is closing the link.
    private var isClosing = false
    private var closeReason: CloseReason?
    private(set) var exit: ExitStatus?
    var greeting: Greeting?
    /// The account that the plugin gets; nil if it is examined without one.
    let account: ExaminedAccount?
    /// What the plugin may use.
    let granted: Set<Permission>
    /// Whether callkitd would hand accounts over to the plugin.
    private let hasSchema: Bool
    /// Counts how often the plugin's accounts were replaced.
    var generation: UInt32 = 0
    /// How SetAccounts after Hello was answered.
    private(set) var handover: PendingAnswer?
    /// The latest report on the account since it was handed over.
    var accountReport: AccountStanding?
    var registered: [ExaminedProvider] = []
    var registrations = 0
    /// The error of a refused registration.
    var refusedRegistration: CallError?
    var calls: [CallID: ExaminedCall] = [:]
    /// The error that refuses the next incoming call.
    var refusalOfNextIncoming: CallError?
    var refusedIncoming: CallID?
    /// Whether ongoing calls are taken over. Others are the user's own, and remain the plugin's.
    var takesOngoing = false
    /// The hold that was asked for when an ongoing call was reported.
    var holdOfOngoing: PendingAnswer?
    /// The call that an earlier worker had when it was killed, and that this one may report as ongoing.
    var expected: OutlivingCall?
    /// What the provider's calls were held and taken back by, oldest first.
    var holds: [HoldNews] = []

    /// Which provider is examined if there are several; nil is the first.
    private let wanted: String?

    private init(
        _ id: String, _ resourceFolder: String, _ account: ExaminedAccount?, hasSchema: Bool,
        _ granted: Set<Permission>,
        wanted: String?, _ options: ExaminationOptions, _ log: IncidentLog
    ) throws {
        (self.id, self.resourceFolder, self.log) = (id, resourceFolder, log)
        (self.account, self.hasSchema, self.granted, self.wanted) = (account, hasSchema, granted, wanted)
        answerTimeout = options.answerTimeout
        output = try WorkerOutput()
        sound = try SoundTrap()
    }

    /// Starts a worker with a plugin.
    ///
    /// - Parameters:
    ///   - account: the account that the plugin gets.
    ///   - hasSchema: whether callkitd would hand accounts over to it.
    ///   - confinement: what the plugin may use.
    convenience init(
        _ file: PluginFile, _ account: ExaminedAccount?, hasSchema: Bool, _ options: ExaminationOptions,
        _ confinement: Confinement, _ log: IncidentLog
    ) throws {
        try self.init(
            file.id, file.resourceDirectory, account, hasSchema: hasSchema, confinement.granted, wanted: nil, options,
            log)
        defer { output.closeWritingEnd() }
        let process = try LinkedProcess(
            loading: file.libraryPath, try file.open(), worker: options.worker,
            policy: try confinement.policy(for: file, sound.environment, options), output: output.writingEnd
        ) { [weak self] _, status in self?.exited(status) }
        process.link.onClosed = { [weak self] reason in self?.closed(reason) }
        serve(process, Self.workerInterface, Self.systemInterface)
    }

    /// Starts a program on a bus of its own.
    convenience init(
        _ program: ExaminedProgram, on bus: ExaminedBus, _ options: ExaminationOptions, _ log: IncidentLog
    ) throws {
        try self.init(
            program.id, "", nil, hasSchema: false, [], wanted: program.provider, options, log)
        defer { output.closeWritingEnd() }
        try bus.run(
            program.command, options.environment.merging(sound.environment) { $1 }, output: output.writingEnd,
            onExit: { [weak self] status in self?.exited(status) },
            onLeft: { [weak self] in self?.somethingHappened() })
        serve(bus, Self.systemInterface)
    }

    private func serve(_ process: any Examinee, _ interfaces: Interface<ExaminingHost>...) {
        self.process = process
        for interface in interfaces { tree.export(self, at: Self.root, interface) }
        tree.serve(on: process.channel, announcing: false)
        process.channel.onUnmatchedReply = { [weak self] message in self?.tookUnmatched(message) }
    }

    var pid: Int32 { process?.pid ?? 0 }
    /// How the worker is confined; nil until it has told.
    var report: SandboxReport? { process?.report }
    var channel: (any MessageChannel)? { process?.channel }
    var isUp: Bool { process?.isConnected == true && exit == nil }
    /// The first registered provider, the wanted one, or that of the account; others are accepted and not examined.
    var provider: ExaminedProvider? {
        registered.first {
            (account == nil || $0.configuration.key == account?.key)
                && (wanted == nil || $0.path.lastElement == wanted)
        }
    }
    /// Whether calls can be made: the provider is online, and its account ready.
    var isReady: Bool {
        isUp && provider?.configuration.availability.takesCalls == true
            && (account == nil || accountReport?.state == .ready)
    }

    /// Waits until a condition holds, or the time limit has passed. Returns whether it holds.
    func wait(_ limit: Duration, until condition: @escaping @LoopActor () -> Bool) async -> Bool {
        if condition() { return true }
        lastWaiter += 1
        let id = lastWaiter
        let timer = LoopTimer(after: limit) { [weak self] in
            guard let self, let index = waiters.firstIndex(where: { $0.id == id }) else { return }
            waiters.remove(at: index).continuation.resume(returning: false)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { waiters.append((id, condition, $0)) }
    }

    /// Checks the conditions that are waited for.
    func somethingHappened() {
        let due = waiters.filter { $0.condition() }.map(\.id)
        for id in due {
            guard let index = waiters.firstIndex(where: { $0.id == id }) else { continue }
            waiters.remove(at: index).continuation.resume(returning: true)
        }
    }

    /// Hands the account over, as callkitd does after Hello.
    func begin() {
        if hasSchema { handover = handOver(account.map { [$0] } ?? []) }
    }

    func export(_ provider: ExaminedProvider) {
        tree.export(provider, at: provider.path, ExaminedProvider.interface)
    }

    func remember(_ question: PendingAnswer, _ serial: UInt32) { asked[serial] = question }

    /// Notes a second answer that the SDK reports; it sends only the first one.
    func noteSecondAnswer(to actionID: String) {
        let subject = asked.values.first { $0.actionID == actionID }?.subject
        log.add(.secondAnswer(subject: subject ?? "a custom action"))
    }

    private func tookUnmatched(_ message: Message) {
        log.add(asked[message.replySerial].map { .secondAnswer(subject: $0.subject) } ?? .unaskedAnswer)
    }

    // MARK: the end

    /// Closes the link and waits for the end of the process, which is killed if it does not exit.
    ///
    /// - Returns: the time until its end.
    func close() async -> Duration {
        let start = MonotonicTime.now
        isClosing = true
        process?.stop()
        // The process is killed after the exit deadline, and ends soon after that.
        _ = await wait(LinkedProcess.exitDeadline + .seconds(5)) { [weak self] in self?.exit != nil }
        output.read()
        return MonotonicTime.now.duration(since: start)
    }

    /// Kills the worker alone, as a crash does: it learns nothing of the end, and may clean nothing up.
    ///
    /// - Returns: whether it was killed in time.
    func crash() async -> Bool {
        guard isUp, pid > 0 else { return false }
        isClosing = true
        _ = Glibc.kill(pid, SIGKILL)
        // A program that has started the provider may remain, and is ended.
        let isGone = await wait(LinkedProcess.exitDeadline) { [weak self] in
            self?.exit != nil || self?.process?.address != nil && self?.isUp != true
        }
        if exit == nil { process?.kill() }
        return isGone
    }

    func kill() {
        isClosing = true
        process?.kill()
    }

    private func closed(_ reason: CloseReason) {
        closeReason = reason
        switch reason {
        case .garbage, .queueFull, .failed: process?.kill()
        case .peerClosed: process?.stop()
        case .closedHere: break
        }
        somethingHappened()
    }

    private func exited(_ status: ExitStatus) {
        exit = status
        sound.remove()
        output.read()
        somethingHappened()
    }

    private var noun: String { process?.address == nil ? "worker" : "program" }

    /// Returns how the worker or the program ended.
    func demise() async -> String {
        _ = await wait(LinkedProcess.exitDeadline + .seconds(5)) { [weak self] in self?.exit != nil }
        let trouble: String
        switch (closeReason, exit) {
        case (.garbage(let text), _): trouble = "the worker sent garbage: \(text)"
        case (.queueFull, _): trouble = "the worker does not read its messages"
        case (_, .exited(ProgramExit.notLoaded.rawValue)): trouble = "the library could not be loaded"
        case (_, .exited(ProgramExit.noEntry.rawValue)): trouble = "the library has no entry opencallkit_plugin_main"
        case (_, .exited(let code)): trouble = "the \(noun) exited with status \(code)"
        case (_, .signalled(let signal)): trouble = "the \(noun) crashed: \(ExitStatus.text(of: signal))"
        case (_, nil): trouble = process?.address == nil ? "the worker closed its link" : "the program left the bus"
        }
        let isCrash = if case .signalled = exit { true } else { false }
        let line = isCrash ? output.crashLine : output.lastLine
        return line.isEmpty ? trouble : "\(trouble) (\(line))"
    }

    /// How many processes the worker has left behind, as its guard said after it had ended them.
    var leftBehind: Int {
        output.read()
        return output.number(between: "callkit-worker: ended ", and: " processes that were left behind")
    }
}

extension ExaminingHost {
    static let workerInterface = Interface<ExaminingHost>(Contract.workerHost) {
        Method(ProviderMember.System.hello, in: ["protocol", "sdk-version", "toolchain"], out: ["host"]) {
            (host: ExaminingHost, _, version: UInt32, sdkVersion: String, _: String) -> VariantDictionary in
            try host.greet(version, sdkVersion)
        }
        Method(ProviderMember.System.observe, in: ["observing"]) { (_: ExaminingHost, _, _: Bool) in }
        Method(ProviderMember.System.reportSecondAnswer, in: ["action_id"]) { (host: ExaminingHost, _, id: String) in
            host.noteSecondAnswer(to: id)
        }
        Method(ProviderMember.System.reportAccount, in: ["account", "state", "problem", "text"]) {
            (host: ExaminingHost, _, account: String, state: String, problem: String, text: String) in
            try host.note(state, problem, text, of: account)
        }
    }

    static let systemInterface = Interface<ExaminingHost>(Contract.callSystem) {
        Method(ProviderMember.System.registerProvider, in: ["delegate", "configuration"], out: ["provider"]) {
            (host: ExaminingHost, context, delegate: ObjectPath, configuration: VariantDictionary) -> ObjectPath in
            try host.register(delegate, configuration, of: context.sender)
        }
        Method(
            ProviderMember.System.requestTransaction, in: ["actions", "options"], out: ["transaction", "calls"]
        ) { (_: ExaminingHost, _, _: [TransactionWire.Entry], _: VariantDictionary) -> (String, [ObjectPath]) in
            throw CallError(.invalidAction, "a plugin that is being certified cannot request calls")
        }
    }

    private func greet(_ version: UInt32, _ sdkVersion: String) throws(CallError) -> VariantDictionary {
        guard greeting == nil else {
            throw refuse("Hello", CallError(.invalidAction, "Hello was sent before"))
        }
        greeting = Greeting(version: version, sdkVersion: sdkVersion.displayable)
        somethingHappened()
        guard version == Contract.protocolVersion else {
            throw CallError(.notSupported, "protocol \(version) is not supported")
        }
        // The reply to Hello comes first.
        Loop.shared.post { [weak self] in self?.begin() }
        return [
            "protocol": .uint32(Contract.protocolVersion), "host-version": .string(OpenCallKitVersion.text),
            "plugin-id": .string(id), "resource-directory": .string(resourceFolder),
            "permissions": Variant(granted.sorted().map(\.text)),
        ]
    }

    private func register(
        _ delegate: ObjectPath, _ wire: VariantDictionary, of client: String?
    ) throws(CallError) -> ObjectPath {
        do throws(CallError) {
            guard greeting != nil || client != nil else {
                throw CallError(.accessDenied, "the worker has not sent Hello")
            }
            guard delegate != .root else { throw CallError(.invalidArguments, "the delegate's path is /") }
            let configuration = try ProviderConfiguration(wire: wire)
            registrations += 1
            let path = ObjectPath.providers.appending(element(for: configuration)) ?? Self.root
            if let client, process?.address == "" || path.lastElement == wanted {
                (process as? ExaminedBus)?.met(client)
            }
            let provider = ExaminedProvider(self, at: path, delegate, configuration)
            export(provider)
            registered.append(provider)
            // The reply comes first, so that the provider knows its object when it begins.
            Loop.shared.post { [weak self] in self?.notify(ProviderMember.Delegate.begin, at: delegate) }
            somethingHappened()
            return path
        } catch {
            refusedRegistration = error
            somethingHappened()
            throw error
        }
    }

    /// The last element of a provider's path, as callkitd would choose it.
    private func element(for configuration: ProviderConfiguration) -> String {
        let isApp = process?.address != nil
        let wish = ProviderID.wish(
            name: isApp ? configuration.localizedName : id, key: configuration.key, isApp: isApp)
        let taken = registered.map(\.path.lastElement)
        return ProviderID(wish: wish) { taken.contains($0.rawValue) }?.rawValue ?? id
    }

    /// Notes an invalid report of the plugin, and returns the error to answer.
    func refuse(_ report: String, _ error: CallError) -> CallError {
        log.add(.refusedReport(member: report, error))
        return error
    }
}

extension ExaminingHost {
    /// Replaces the plugin's accounts.
    func handOver(_ accounts: [ExaminedAccount]) -> PendingAnswer {
        generation += 1
        accountReport = nil
        let entries = accounts.map { $0.wire(generation: generation) }
        return put(ProviderMember.Accounts.setAccounts, ProviderMember.Accounts.setAccounts) {
            (_) throws(DBusError) in
            try Message.call(at: Self.root, Contract.accountsDelegate, ProviderMember.Accounts.setAccounts, entries)
        }
    }

    /// Notes ReportAccount of the worker.
    func note(_ state: String, _ problem: String, _ text: String, of id: String) throws(CallError) {
        log.reports += 1
        defer { somethingHappened() }
        do throws(CallError) {
            let report = try AccountStanding(reported: state, problem, text)
            guard let account, account.id.rawValue == id else {
                throw CallError(.invalidArguments, "there is no account \(id.excerpt)")
            }
            accountReport = report
        } catch {
            throw refuse(ProviderMember.System.reportAccount, error)
        }
    }
}
