// Examination: examines a plugin, or a provider on a bus, point by point.

import CallModel
import DBus
public import EventLoop
import Glibc
public import WorkerLaunch

/// Runs a plugin in real workers with a scripted host, or a program that has a provider on a bus of its own. Each point
/// begins with a process without calls; one that failed at a point is replaced.
///
/// A point that depends on another, as hold depends on an active call, has that examined first. Each is examined once.
@LoopActor
public final class Examination {
    /// Nil for a plugin.
    let program: ExaminedProgram?
    let path: String
    let options: ExaminationOptions
    let log = IncidentLog()
    private let plugin: Result<PluginFile, PluginFileError>?
    private var verdicts: [Point: Verdict] = [:]
    private(set) var current: ExaminingHost?
    private var past: [ExaminingHost] = []
    private var ownPlace: ExaminedPlace?
    /// The id of the provider that a program has registered.
    private var registeredID: String?
    /// The programs that have called in.
    private var callers: [ExaminerProgram] = []
    /// What the plugin may use.
    let granted: Set<Permission>
    var endurance: Result<Endurance, Unmet>?
    /// What the plugin wants to know of an account; nil if it has no accounts.
    private(set) var schema: AccountSchema?
    /// The account that workers get.
    private(set) var account: ExaminedAccount?
    private var redaction = Redaction()
    /// Whether a provider was not online in time; others are not waited for as long again.
    private var isOffline = false
    /// Whether a worker reports the call that its predecessor had.
    var adoptsCalls = false

    /// Checks the file, without loading it.
    ///
    /// - Parameter path: a library or a bundle.
    /// - Throws: if the file does not exist or is not a plugin. An invalid plugin gives a verdict instead.
    public init(of path: String, _ options: ExaminationOptions) throws(PluginFileError) {
        self.path = path
        self.options = options
        program = nil
        let plugin: Result<PluginFile, PluginFileError>
        do throws(PluginFileError) {
            plugin = .success(try PluginFile(at: path, protocolVersion: Contract.protocolVersion))
        } catch {
            guard error.isOfAPlugin else { throw error }
            plugin = .failure(error)
        }
        self.plugin = plugin
        let asked = Set((try? plugin.get().manifest.asked) ?? [])
        granted = asked.union(options.granted).subtracting(options.denied)
        schema = try? AccountSchema.read(inBundle: plugin.get().resourceDirectory)
    }

    /// Examines a provider that a program registers on its session bus.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments.
    ///   - provider: the id of the provider, such as `app_Walkie`; nil is the first that is registered.
    public init(running command: [String], provider: String?, _ options: ExaminationOptions) {
        let program = ExaminedProgram(command: command, provider: provider)
        (path, self.program, self.options) = (program.id, program, options)
        (plugin, granted) = (nil, [])
    }

    /// Examines the plugin with an account.
    ///
    /// - Parameter path: a file with lines `key = value`, which only its owner may read.
    /// - Throws: if the file cannot be used, or the plugin has no valid schema. An invalid plugin gives a verdict instead.
    public func readAccount(_ path: String) throws(AccountFileError) {
        guard case .success(let file) = plugin else { return }
        let found: AccountSchema?
        do {
            found = try AccountSchema.read(inBundle: file.resourceDirectory)
        } catch {
            throw AccountFileError("\(file.id) has no valid schema: \(error)")
        }
        guard let schema = found else { throw AccountFileError("\(file.id) has no \(AccountSchema.fileName)") }
        let account = try AccountFile(path).account(of: schema)
        self.account = account
        redaction = Redaction(Array(account.secrets.values))
    }

    /// Examines the points in the options.
    ///
    /// - Parameter onVerdict: called for each point, in order.
    public func run<Failure: Error>(
        onVerdict: @LoopActor (Verdict) throws(Failure) -> Void = { (_: Verdict) in }
    ) async throws(Failure) -> Certificate {
        var wanted: [Verdict] = []
        for point in Point.allCases where options.points.contains(point) {
            let verdict = await verdict(on: point)
            wanted.append(verdict)
            try onVerdict(verdict)
        }
        await dismiss()
        return Certificate(plugin: (try? plugin?.get().id) ?? registeredID ?? path, verdicts: wanted)
    }

    func verdict(on point: Point) async -> Verdict {
        if let known = verdicts[point] { return known }
        let verdict: Verdict
        do throws(Unmet) {
            verdict = Verdict(point, .passed, seen: redaction(try await examine(point)).displayable)
        } catch {
            verdict = Verdict(point, error.result, seen: redaction(error.seen).displayable)
        }
        if program != nil, let provider = current?.provider { registeredID = provider.path.lastElement }
        await tidyUp(after: verdict)
        verdicts[point] = verdict
        return verdict
    }

    func passed(_ point: Point) async -> Bool { await verdict(on: point).result == .passed }

    func require(_ point: Point) async throws(Unmet) {
        switch await verdict(on: point).result {
        case .passed: break
        case .notApplicable: throw .notApplicable("needs \(point.rawValue), which does not apply")
        case .failed, .notTried: throw .notTried("needs \(point.rawValue)")
        }
    }

    func file() throws(Unmet) -> PluginFile {
        switch plugin {
        case .success(let file): return file
        case .failure(let error): throw .notTried("the file \(error)")
        case nil: throw .notApplicable(Self.noPlugin)
        }
    }

    fileprivate static let noPlugin = "a provider on the bus is no plugin"

    /// The error of the file; nil if the daemon would load it.
    var fileError: PluginFileError? {
        if case .failure(let error) = plugin { error } else { nil }
    }

    // MARK: the account

    /// Expects that the account, if there is one, is reported as ready, and that the provider takes calls. An account may
    /// take as long as the network does; without one a provider may take as long as a call does to connect, from its last
    /// change on.
    func ready(_ host: ExaminingHost) async throws(Unmet) {
        let began = MonotonicTime.now
        while true {
            let known = host.provider?.configuration
            let rest = options.accountTimeout - MonotonicTime.now.duration(since: began)
            let hasChanged = await host.wait(account == nil ? min(rest, options.connectTimeout) : rest) { [weak host] in
                host?.isReady == true || host?.accountReport?.state == .failed || host?.isUp != true
                    || host?.provider?.configuration != known
            }
            if host.isReady { return }
            guard hasChanged, host.isUp, host.accountReport?.state != .failed else { break }
        }
        if let report = host.accountReport, report.state == .failed {
            throw .failed("the account is \(describe(report))")
        }
        let elapsed = (account == nil ? MonotonicTime.now.duration(since: began) : options.accountTimeout).text
        if account != nil, host.accountReport?.state != .ready {
            throw .failed(await fate(of: host, "the account was not ready within \(elapsed)"))
        }
        throw .failed(await fate(of: host, "the provider was not online within \(elapsed)\(complaint(of: host))"))
    }

    /// What an offline provider says of itself, and what may be the matter.
    private func complaint(of host: ExaminingHost) -> String {
        guard let configuration = host.provider?.configuration else { return "; it is not registered any more" }
        let (standing, status) = (configuration.availability.rawValue, configuration.status)
        let words = "; it is \(standing)" + (status.isEmpty ? " and does not say why" : ": \"\(status)\"")
        if schema != nil, account == nil { return "\(words); does it need an account, --settings?" }
        if program == nil, options.isSandboxed, !granted.contains(.network) {
            return "\(words); it has no network here, does it need --grant network?"
        }
        let remedy = program == nil ? ", then try: callctl plugins disable \(host.id)" : ""
        return "\(words); does another process have its port, as a callkitd that runs it would\(remedy)?"
    }

    func describe(_ report: AccountStanding) -> String {
        let words = [report.problem.rawValue, report.text].filter { !$0.isEmpty }
        return words.isEmpty ? report.state.rawValue : "\(report.state.rawValue): \(words.joined(separator: ", "))"
    }

    // MARK: workers

    /// Returns a worker whose provider is registered and has no calls.
    func stage() async throws(Unmet) -> ExaminingHost {
        try await require(account == nil ? .registration : .account)
        if let current, current.isReady { return current }
        if isOffline { throw .notTried("the provider was not online before") }
        let host = try await registered()
        do throws(Unmet) {
            try await ready(host)
        } catch {
            isOffline = account == nil
            throw error
        }
        return host
    }

    /// Returns a worker whose provider is registered.
    func registered() async throws(Unmet) -> ExaminingHost {
        if let current, current.isUp, current.provider != nil { return current }
        let host = try await begin()
        _ = await host.wait(options.answerTimeout) { [weak host] in host?.provider != nil || host?.isUp != true }
        guard host.isUp, host.provider != nil else {
            throw .failed("started again: \(await fate(of: host, "no registration"))")
        }
        return host
    }

    /// Returns a worker that has sent Hello, or will.
    func greeted() async throws(Unmet) -> ExaminingHost {
        if let current, current.isUp, current.greeting != nil { return current }
        return try await begin()
    }

    func begin() async throws(Unmet) -> ExaminingHost { try await begin(with: account) }

    /// Starts a worker.
    func begin(with account: ExaminedAccount?) async throws(Unmet) -> ExaminingHost {
        current?.kill()
        do {
            if let program {
                let host = try ExaminingHost(program, on: try await ExaminedBus(options.environment), options, log)
                current = host
                // A bus that is over is not kept.
                past = past.filter { $0.exit == nil } + [host]
                return host
            }
            let confinement = try Confinement(granted, await place())
            let host = try ExaminingHost(file(), account, hasSchema: schema != nil, options, confinement, log)
            current = host
            past.append(host)
            return host
        } catch let error as Unmet {
            throw error
        } catch {
            throw .notTried("\(program?.command.first ?? options.worker) cannot be started: \(error)")
        }
    }

    private func place() async throws(SystemError) -> ExaminedPlace {
        if let ownPlace { return ownPlace }
        let place = try ExaminedPlace()
        ownPlace = place
        if options.isSandboxed { try await startProxies(of: place) }
        return place
    }

    /// Starts the proxies of buses, and waits until plugins can connect to them, or for a while.
    private func startProxies(of place: ExaminedPlace) async throws(SystemError) {
        var waiter: CheckedContinuation<Void, Never>?
        func check() {
            guard place.isReady else { return }
            waiter?.resume()
            waiter = nil
        }
        try place.startProxies(for: granted, options.environment) { check() }
        guard !place.isReady else { return }
        let timer = LoopTimer(after: options.answerTimeout) {
            waiter?.resume()
            waiter = nil
        }
        defer { timer.cancel() }
        await withCheckedContinuation { waiter = $0 }
    }

    /// What the plugin was denied in any of its workers, in order.
    var deniedAnywhere: [String] {
        Set(past.flatMap { $0.report?.denied ?? [] }).sorted()
    }

    /// Returns why a message did not come: the end of the worker, or `silence`.
    func fate(of host: ExaminingHost, _ silence: String) async -> String {
        host.isUp ? silence : await host.demise()
    }

    /// Ends the calls of the worker before the next point, and after a failure the worker as well. Calls that a network
    /// carries would outlive it.
    private func tidyUp(after verdict: Verdict) async {
        defer { endCallers(SIGTERM) }
        guard let host = current else { return }
        var answers = host.isUp
        if answers, host.provider != nil {
            for (id, call) in host.calls where !call.isEnded && answers {
                answers = await host.put(.end(id, reason: "")).answer().isGiven
                host.calls[id]?.isEnded = true
            }
        }
        if !answers || verdict.result == .failed {
            host.kill()
            current = nil
        }
    }

    /// Has the examiner's program call the provider.
    ///
    /// - Parameter isReported: whether the provider has reported its call.
    func callIn(
        _ host: ExaminingHost, until isReported: @escaping @LoopActor () -> Bool
    ) async throws(Unmet) {
        let name = options.callIn.first ?? ""
        let caller: ExaminerProgram
        do throws(SystemError) {
            caller = try ExaminerProgram(options.callIn) { [weak host] in host?.somethingHappened() }
        } catch {
            throw .notTried("\(name) cannot be started: \(error)")
        }
        callers.append(caller)
        _ = await host.wait(options.connectTimeout) { [weak host] in
            isReported() || host?.isUp != true || caller.end.map { $0 != .exited(0) } ?? false
        }
        if isReported() { return }
        if let end = caller.end, end != .exited(0) { throw .notTried("\(name) \(end)") }
        throw .failed(
            await fate(of: host, "\(name) called in, and no call was reported within \(options.connectTimeout.text)"))
    }

    /// Ends the programs that have called in and stay for the call.
    private func endCallers(_ signal: Int32) {
        callers.removeAll { $0.end != nil }
        for caller in callers { caller.kill(signal) }
    }

    /// Ends all workers.
    func dismiss() async {
        endCallers(SIGKILL)
        if let current { _ = await current.close() }
        current = nil
        for host in past {
            _ = await host.wait(options.answerTimeout) { [weak host] in host?.exit != nil }
        }
        past = []
        ownPlace = nil
    }

    func forgetCurrent() { current = nil }

    /// Ends a worker that no other point may use.
    func drop(_ host: ExaminingHost) {
        host.kill()
        if current === host { current = nil }
    }
}

extension PluginFileError {
    /// Whether the file is a plugin, though an invalid one.
    fileprivate var isOfAPlugin: Bool {
        switch self {
        case .notAPluginName, .unreadable, .notAFile, .notAFolder, .notELF, .truncated, .wrongArchitecture,
            .notASharedObject, .noNote:
            false
        case .nameTooLong, .tooMany, .noLibrary, .tooLarge, .worldWritable, .groupWritable, .outside,
            .exchanged, .wrongOwner, .malformed, .manifest, .wrongProtocol, .noRuntime:
            true
        }
    }

    /// Whether the note is invalid.
    var isOfTheNote: Bool {
        switch self {
        case .malformed, .wrongProtocol: true
        default: false
        }
    }

    /// Whether what the plugin asks for is invalid.
    var isOfTheManifest: Bool { if case .manifest = self { true } else { false } }
}

extension Examination {
    /// Examines a point and returns what was seen. Throws if the point is not passed.
    private func examine(_ point: Point) async throws(Unmet) -> String {
        let beginning = BeginningPoints(examination: self)
        let accounts = AccountPoints(examination: self)
        let calls = CallPoints(examination: self)
        let activeCalls = ActiveCallPoints(examination: self)
        let transferRequests = TransferRequestPoint(examination: self)
        let exchanges = ExchangePoints(examination: self)
        let audio = AudioPoints(examination: self)
        let trouble = TroublePoints(examination: self)
        let endings = EndingPoints(examination: self)
        let enduring = EndurancePoints(examination: self)
        if program != nil, point.isOfPlugins { throw .notApplicable(Self.noPlugin) }
        return switch point {
        case .file: try beginning.examineFile()
        case .note: try beginning.examineNote()
        case .permissions: try beginning.examinePermissions()
        case .hello: try await beginning.examineHello()
        case .registration: try await beginning.examineRegistration()
        case .account: try await accounts.examineAccount()
        case .configuration: try await beginning.examineConfiguration()
        case .ringtone: try await beginning.examineRingtone()
        case .icon: try await beginning.examineIcon()
        case .start: try await calls.examineStart()
        case .connect: try await calls.examineConnect()
        case .incoming: try await calls.examineIncoming()
        case .refusedIncoming: try await calls.examineRefusedIncoming()
        case .answer: try await calls.examineAnswer()
        case .reject: try await calls.examineReject()
        case .mute: try await activeCalls.examineMute()
        case .hold: try await activeCalls.examineHold()
        case .resume: try await activeCalls.examineResume()
        case .dtmf: try await activeCalls.examineDTMF()
        case .dtmfPauses: try await activeCalls.examineDTMFPauses()
        case .translation: try await activeCalls.examineTranslation()
        case .secondCall: try await activeCalls.examineSecondCall()
        case .exchange: try await exchanges.examineExchange()
        case .exchangeReports: try await exchanges.examineExchangeReports()
        case .group: try await activeCalls.examineGroup()
        case .groupHold: try await activeCalls.examineGroupHold()
        case .ungroup: try await activeCalls.examineUngroup()
        case .transfer: try await activeCalls.examineTransfer()
        case .attendedTransfer: try await activeCalls.examineAttendedTransfer()
        case .answerTransfer: try await transferRequests.examineAnswerTransfer()
        case .ongoing: try await calls.examineOngoing()
        case .end: try await calls.examineEnd()
        case .audioDevices: try await audio.examineAudioDevices()
        case .audio: try await audio.examineAudio()
        case .audioRelease: try await audio.examineAudioRelease()
        case .unknownCall: try await trouble.examineUnknownCall()
        case .unknownKind: try await trouble.examineUnknownKind()
        case .malformedAction: try await trouble.examineMalformedAction()
        case .customActions: try await trouble.examineCustomActions()
        case .timedOut: try await trouble.examineTimedOut()
        case .reset: try await trouble.examineReset()
        case .restartInCall: try await endings.examineRestartInCall()
        case .adopts: try await endings.examineAdopts()
        case .accountRefused: try await accounts.examineAccountRefused()
        case .accountRemoved: try await accounts.examineAccountRemoved()
        case .lostNetwork: try await accounts.examineLostNetwork()
        case .ping: try await trouble.examinePing()
        case .memory: try await enduring.examineMemory()
        case .descriptors: try await enduring.examineDescriptors()
        case .linkClosed: try await endings.examineLinkClosed()
        case .linkAborted: try await endings.examineLinkAborted()
        case .sandbox: try await beginning.examineSandbox()
        case .reports: try await endings.examineReports()
        case .endedCalls: try await endings.examineEndedCalls()
        case .lateAnswers: try await endings.examineLateAnswers()
        case .doubleAnswers: try await endings.examineDoubleAnswers()
        }
    }
}

extension Availability {
    /// Whether callkitd offers such a provider for calls.
    var takesCalls: Bool { self == .online }
}
