// Examination: a plugin, point by point.

import CallModel
public import EventLoop
public import WorkerLaunch

/// Runs a plugin in real workers against a scripted host, and finds out what it does. Each point begins with a worker that
/// has no calls; one that failed at a point does not see the next.
///
/// A point that needs another, such as hold a call that is active, has it examined first. Each is examined once.
@LoopActor
public final class Examination {
    /// Why a point is not passed.
    struct Unmet: Error {
        let result: Verdict.Result
        let seen: String

        static func failed(_ seen: String) -> Unmet { Unmet(result: .failed, seen: seen) }
        static func notApplicable(_ seen: String) -> Unmet { Unmet(result: .notApplicable, seen: seen) }
        static func notTried(_ seen: String) -> Unmet { Unmet(result: .notTried, seen: seen) }
    }

    let path: String
    let options: ExaminationOptions
    let log = IncidentLog()
    private let plugin: Result<PluginFile, PluginFileError>
    private var verdicts: [Point: Verdict] = [:]
    private(set) var current: ExaminingHost?
    private var past: [ExaminingHost] = []
    var endurance: Result<Endurance, Unmet>?

    /// Looks at the file, and loads nothing.
    ///
    /// - Parameter path: a library or a bundle.
    /// - Throws: if there is no such file, or if it is no plugin at all. What is wrong with a plugin is a verdict.
    public init(of path: String, _ options: ExaminationOptions) throws(PluginFileError) {
        self.path = path
        self.options = options
        do throws(PluginFileError) {
            plugin = .success(try PluginFile(at: path, protocolVersion: Contract.protocolVersion))
        } catch {
            guard error.isOfAPlugin else { throw error }
            plugin = .failure(error)
        }
    }

    /// Examines the points that are wanted.
    ///
    /// - Parameter onVerdict: called for each of them, in their order.
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
        return Certificate(plugin: (try? plugin.get().id) ?? path, verdicts: wanted)
    }

    func verdict(on point: Point) async -> Verdict {
        if let known = verdicts[point] { return known }
        let verdict: Verdict
        do throws(Unmet) {
            verdict = Verdict(point, .passed, seen: try await examine(point).displayable)
        } catch {
            verdict = Verdict(point, error.result, seen: error.seen.displayable)
        }
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
        }
    }

    /// What is wrong with the file; nil if the daemon would load it.
    var fileError: PluginFileError? {
        if case .failure(let error) = plugin { error } else { nil }
    }

    // MARK: workers

    /// A worker whose provider is registered and has no calls.
    func stage() async throws(Unmet) -> ExaminingHost {
        try await require(.registration)
        if let current, current.isReady { return current }
        let host = try await begin()
        _ = await host.wait(options.patience) { [weak host] in host?.isReady == true || host?.isUp != true }
        guard host.isReady else { throw .failed("once more started: \(await fate(of: host, "no registration"))") }
        return host
    }

    /// A worker that has said Hello, or will.
    func greeted() async throws(Unmet) -> ExaminingHost {
        if let current, current.isUp, current.greeting != nil { return current }
        return try await begin()
    }

    /// A worker that was only started.
    func begin() async throws(Unmet) -> ExaminingHost {
        current?.kill()
        do {
            let host = try ExaminingHost(file(), options, log)
            current = host
            past.append(host)
            return host
        } catch let error as Unmet {
            throw error
        } catch {
            throw .notTried("\(options.worker) cannot be started: \(error)")
        }
    }

    /// Why something did not come: the worker is gone, or silent.
    func fate(of host: ExaminingHost, _ silence: String) async -> String {
        host.isUp ? silence : await host.demise()
    }

    /// The next point gets a worker without calls.
    private func tidyUp(after verdict: Verdict) async {
        guard let host = current else { return }
        var isClean = host.isUp && verdict.result != .failed
        if isClean, host.provider != nil {
            for (id, call) in host.calls where !call.isEnded && isClean {
                isClean = await host.put(.end(id, reason: "")).answer().isGiven
                host.calls[id]?.isEnded = true
            }
        }
        if !isClean {
            host.kill()
            current = nil
        }
    }

    /// Ends all workers and what they have left behind, and takes note of all that they wrote.
    func dismiss() async {
        if let current { _ = await current.close() }
        current = nil
        for host in past {
            _ = await host.wait(options.patience) { [weak host] in host?.exit != nil }
            _ = host.sweepSession()
        }
        past = []
    }

    func forgetCurrent() { current = nil }
}

extension PluginFileError {
    /// Whether the file is a plugin that something is wrong with, as opposed to none.
    fileprivate var isOfAPlugin: Bool {
        switch self {
        case .notAPluginName, .unreadable, .notAFile, .notAFolder, .notELF, .truncated, .wrongArchitecture,
            .notASharedObject, .noNote:
            false
        case .nameTooLong, .tooMany, .noLibrary, .tooLarge, .worldWritable, .wrongOwner, .malformed, .wrongProtocol:
            true
        }
    }

    /// Whether it is what the note says that is wrong.
    var isOfTheNote: Bool {
        switch self {
        case .malformed, .wrongProtocol: true
        default: false
        }
    }
}
