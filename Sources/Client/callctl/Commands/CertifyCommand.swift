// callctl certify: examines a plugin point by point. Needs no daemon and no bus.

import ArgumentParser
import CallModel
import Certification
import EventLoop
import WorkerLaunch

struct CertifyCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "certify",
        abstract: "Examine a plugin, or a provider on the bus, with a scripted host, point by point.",
        discussion: """
            PLUGIN is Name.so or Name.callplugin. It runs in real workers, without a daemon, and gets every request \
            that callkitd may send, and some that callkitd never sends. The workers are confined as callkitd confines \
            them, with all permissions that its Plugin.ini asks for. All its custom actions are called; one named \
            simulate-incoming is expected to trigger an incoming call, unless --call-in names a program that calls. Its \
            worker is also killed in a call. A plugin for a network needs --handle, with a handle that answers, and \
            --settings, with an account. With --run in the place of PLUGIN, a program is started that registers a provider \
            on its session bus, in any language; it gets a bus of its own. The exit code is 0 if no point failed, and \
            \(CallctlExit.uncertified.rawValue) otherwise.
            """)

    @Argument(help: ArgumentHelp("A library or a bundle.", valueName: "plugin"))
    var plugin: String?

    @Option(
        help: ArgumentHelp("A program with arguments that has a provider on the bus; no shell.", valueName: "command"))
    var run: String?

    @Option(
        help: ArgumentHelp(
            "The provider to examine, as in callctl providers; with --run. Default: the first.", valueName: "id"))
    var provider: String?

    @Flag(help: "Print the points, with what each expects and why, without examining a plugin.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print what every point expects, not only those that fail.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Examine this point only; may be repeated, also for the points that it needs, such as hello.",
            valueName: "point"), transform: point)
    var only: [Point] = []

    @Option(help: ArgumentHelp("Do not report on this point; may be repeated.", valueName: "point"), transform: point)
    var skip: [Point] = []

    @Option(
        name: .customLong("patience"),
        help: ArgumentHelp("Time limit for an action, a ping or a release.", valueName: "ms"))
    var answer = 2_000

    @Option(help: ArgumentHelp("Time limit for loading and Hello.", valueName: "ms"))
    var hello = 5_000

    @Option(help: ArgumentHelp("Time limit for connecting an outgoing call.", valueName: "ms"))
    var connect = 5_000

    @Option(help: ArgumentHelp("Time limit for connecting an account or a network.", valueName: "ms"))
    var account = 30_000

    @Option(
        help: ArgumentHelp(
            "The settings and secrets of an account, as key = value; only you may read the file.", valueName: "file"))
    var settings: String?

    @Option(
        help: ArgumentHelp("A program with arguments that takes the network away; no shell.", valueName: "command"))
    var loseNetwork: String?

    @Option(
        help: ArgumentHelp("A program with arguments that gives the network back; no shell.", valueName: "command"))
    var restoreNetwork: String?

    @Option(
        help: ArgumentHelp(
            """
            The absolute path of a program, with arguments, that calls the provider from the far side; no shell. It may stay \
            for the call.
            """,
            valueName: "command"))
    var callIn: String?

    @Option(
        help: ArgumentHelp("Grant this, even if it does not ask for it; may be repeated.", valueName: "permission"),
        transform: permission)
    var grant: [Permission] = []

    @Option(
        help: ArgumentHelp("Do not grant this, even if it asks for it; may be repeated.", valueName: "permission"),
        transform: permission)
    var deny: [Permission] = []

    @Flag(help: "Run it without a sandbox, as callkitd --no-sandbox does.")
    var noSandbox = false

    @Option(help: ArgumentHelp("Number of calls for the points memory and descriptors.", valueName: "n"))
    var calls = 1_000

    @Option(help: ArgumentHelp("Memory that each call may leave behind.", valueName: "bytes"))
    var memoryPerCall = 1_024

    @Option(
        help: ArgumentHelp("The handle that is called, as in callctl start; default: invented.", valueName: "handle"))
    var handle: String?

    @Option(help: ArgumentHelp("The path of callkit-worker; default: the installed one.", valueName: "file"))
    var worker: String?

    var printsJSON: Bool { json }

    func validate() throws {
        guard list || plugin != nil || run != nil else { throw ValidationError("Missing expected argument '<plugin>'") }
        guard plugin == nil || run == nil else { throw ValidationError("expected either a plugin or --run") }
        guard provider == nil || run != nil else { throw ValidationError("--provider needs --run") }
        guard run.map({ !Self.words(of: $0).isEmpty }) ?? true else { throw ValidationError("--run names no program") }
        let forPlugins: [(String, Bool)] = [
            ("settings", settings != nil), ("grant", !grant.isEmpty), ("deny", !deny.isEmpty),
            ("no-sandbox", noSandbox), ("worker", worker != nil),
        ]
        if run != nil, let (name, _) = forPlugins.first(where: \.1) {
            throw ValidationError("--\(name) is for plugins, and --run starts a program")
        }
        for (name, value) in [("patience", answer), ("hello", hello), ("connect", connect), ("account", account)] {
            guard (1...600_000).contains(value) else {
                throw ValidationError("--\(name) is \(value) ms, expected 1 to 600000")
            }
        }
        guard (loseNetwork == nil) == (restoreNetwork == nil) else {
            throw ValidationError("--lose-network and --restore-network belong together")
        }
        for (name, command) in [
            ("lose-network", loseNetwork), ("restore-network", restoreNetwork), ("call-in", callIn),
        ] {
            guard command?.hasPrefix("/") != false else {
                throw ValidationError("--\(name) does not begin with the absolute path of a program")
            }
        }
        guard (1...100_000).contains(calls) else {
            throw ValidationError("--calls is \(calls), expected 1 to 100000")
        }
        guard (0...1 << 30).contains(memoryPerCall) else {
            throw ValidationError("--memory-per-call is \(memoryPerCall) bytes, expected 0 to \(1 << 30)")
        }
    }

    @LoopActor func execute(_ output: Output) async throws(Failure) {
        guard !list, plugin != nil || run != nil else {
            return try output.result(
                Point.list(on: output.terminal), json: .array(Point.allCases.map { $0.json }))
        }
        let examination = try examination()
        var untried: [Verdict] = []
        let certificate = try await examination.run { (verdict) throws(Failure) in
            guard !output.isJSON else { return }
            if verdict.result == .notTried, !verbose { return untried.append(verdict) }
            try output.result(verdict.text(verbose, on: output.terminal), json: .null)
        }
        if !output.isJSON { try Self.print(untried, on: output) }
        try output.result(certificate.summary(on: output.terminal), json: certificate.json)
        guard certificate.isGranted else {
            let failed = certificate.verdicts.filter { $0.result == .failed }
            let open = failed.isEmpty ? certificate.verdicts.filter { $0.result == .notTried } : failed
            let names = open.map(\.point.rawValue).joined(separator: ", ")
            throw Failure(
                .uncertified, "\(certificate.plugin) \(failed.isEmpty ? "was not tried at" : "failed at"): \(names)")
        }
    }

    /// Prints points that were not tried, in one line if there are many.
    private static func print(_ untried: [Verdict], on output: Output) throws(Failure) {
        guard !untried.isEmpty else { return }
        let text =
            untried.count > 2
            ? Verdict.untried(untried, on: output.terminal)
            : untried.map { $0.text(false, on: output.terminal) }.joined(separator: "\n")
        try output.result(text, json: .null)
    }

    @LoopActor private func examination() throws(Failure) -> Examination {
        let options = try options()
        guard let plugin else { return Examination(running: Self.words(of: run), provider: provider, options) }
        let examination: Examination
        do throws(PluginFileError) {
            examination = try Examination(of: plugin, options)
        } catch {
            throw Failure(error.isAbsence ? .unknown : .malformed, "\(plugin) \(error)")
        }
        if let settings {
            do throws(AccountFileError) {
                try examination.readAccount(settings)
            } catch {
                throw Failure(error.isAbsence ? .unknown : .malformed, error.description)
            }
        }
        return examination
    }

    private static func words(of command: String?) -> [String] {
        (command ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private func options() throws(Failure) -> ExaminationOptions {
        let folder = ProcessEnvironment.executableFolder
        let installed = folder + "/../libexec/opencallkit/callkit-worker"
        let found = ProcessEnvironment.isExecutable(installed) ? installed : folder + "/callkit-worker"
        guard run != nil || ProcessEnvironment.isExecutable(worker ?? found) else {
            throw Failure(.unknown, "no callkit-worker at \(worker ?? found)")
        }
        var options = ExaminationOptions(worker: worker ?? found, environment: ProcessEnvironment.current)
        options.answerTimeout = .milliseconds(answer)
        options.helloTimeout = .milliseconds(hello)
        options.connectTimeout = .milliseconds(connect)
        options.accountTimeout = .milliseconds(account)
        options.loseNetwork = Self.words(of: loseNetwork)
        options.restoreNetwork = Self.words(of: restoreNetwork)
        options.callIn = Self.words(of: callIn)
        options.isSandboxed = !noSandbox
        options.granted = Set(grant)
        options.denied = Set(deny)
        options.calls = calls
        options.memoryPerCall = memoryPerCall
        if let handle {
            do throws(CallError) {
                options.handle = try DialString(parsing: handle).handle
            } catch {
                throw Failure(.usage, error.message)
            }
        }
        options.points = Set(only.isEmpty ? Point.allCases : only).subtracting(skip)
        return options
    }
}

extension PluginFileError {
    /// Whether the file does not exist, as opposed to being an invalid plugin.
    fileprivate var isAbsence: Bool {
        if case .unreadable = self { true } else { false }
    }
}

private func permission(_ text: String) throws -> Permission {
    do {
        return try Permission(text)
    } catch {
        throw ValidationError(error.message)
    }
}

private func point(_ name: String) throws -> Point {
    guard let point = Point(rawValue: name) else {
        throw ValidationError("Unknown point \(name.printable); callctl certify --list prints all points.")
    }
    return point
}
