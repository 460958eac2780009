// callctl certify: a plugin, examined point by point. Needs no daemon and no bus.

import ArgumentParser
import CallModel
import Certification
import EventLoop
import WorkerLaunch

struct CertifyCommand: LoopCommand {
    static let configuration = CommandConfiguration(
        commandName: "certify", abstract: "Run a plugin against a scripted host and say what it does, point by point.",
        discussion: """
            PLUGIN is Name.so or Name.callplugin. It runs in real workers, without a daemon, and is asked for \
            everything that callkitd may ask for, and for what it should never ask for. Its buttons are pressed; one \
            named simulate-incoming is taken to have somebody call. The exit code is 0 if no point failed, and \
            \(Outcome.uncertified.rawValue) otherwise.
            """)

    @Argument(help: ArgumentHelp("A library or a bundle.", valueName: "plugin"))
    var plugin: String?

    @Flag(help: "Print the points, with what each expects and why, and examine nothing.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Say at each point what is expected, not only where that was not found.")
    var verbose = false

    @Option(help: ArgumentHelp("Examine this point only; may be repeated.", valueName: "point"), transform: point)
    var only: [Point] = []

    @Option(help: ArgumentHelp("Do not report on this point; may be repeated.", valueName: "point"), transform: point)
    var skip: [Point] = []

    @Option(help: ArgumentHelp("What an action, a ping, a release may take.", valueName: "ms"))
    var patience = 2_000

    @Option(help: ArgumentHelp("What loading and Hello may take.", valueName: "ms"))
    var hello = 5_000

    @Option(help: ArgumentHelp("What an outgoing call may take to be connected.", valueName: "ms"))
    var connect = 5_000

    @Option(help: ArgumentHelp("How many calls to make for memory and descriptors.", valueName: "n"))
    var calls = 1_000

    @Option(help: ArgumentHelp("What a call may leave behind.", valueName: "bytes"))
    var memoryPerCall = 1_024

    @Option(help: ArgumentHelp("Whom to call, as in callctl start; made up otherwise.", valueName: "handle"))
    var handle: String?

    @Option(help: ArgumentHelp("callkit-worker, if it is not where it was installed.", valueName: "file"))
    var worker: String?

    var printsJSON: Bool { json }

    func validate() throws {
        guard list || plugin != nil else { throw ValidationError("Missing expected argument '<plugin>'") }
        for (name, value) in [("patience", patience), ("hello", hello), ("connect", connect)] {
            guard (1...600_000).contains(value) else {
                throw ValidationError("--\(name) is \(value) ms, expected 1 to 600000")
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
        guard !list, let plugin else {
            return try output.result(
                Point.list(on: output.terminal), json: .array(Point.allCases.map { $0.json }))
        }
        let examination: Examination
        let options = try options()
        do throws(PluginFileError) {
            examination = try Examination(of: plugin, options)
        } catch {
            throw Failure(error.isAbsence ? .unknown : .malformed, "\(plugin) \(error)")
        }
        let certificate = try await examination.run { (verdict) throws(Failure) in
            if !output.isJSON { try output.result(verdict.text(verbose, on: output.terminal), json: .null) }
        }
        try output.result(certificate.summary(on: output.terminal), json: certificate.json)
        guard certificate.isGranted else {
            let failed = certificate.verdicts.filter { $0.result == .failed }
            let open = failed.isEmpty ? certificate.verdicts.filter { $0.result == .notTried } : failed
            let names = open.map(\.point.rawValue).joined(separator: ", ")
            throw Failure(
                .uncertified, "\(certificate.plugin) \(failed.isEmpty ? "was not tried at" : "failed at"): \(names)")
        }
    }

    private func options() throws(Failure) -> ExaminationOptions {
        let folder = ProcessEnvironment.executableFolder
        let installed = folder + "/../libexec/opencallkit/callkit-worker"
        let found = ProcessEnvironment.isExecutable(installed) ? installed : folder + "/callkit-worker"
        guard ProcessEnvironment.isExecutable(worker ?? found) else {
            throw Failure(.unknown, "there is no callkit-worker at \(worker ?? found)")
        }
        var options = ExaminationOptions(worker: worker ?? found, environment: ProcessEnvironment.current)
        options.patience = patience
        options.helloPatience = hello
        options.connectPatience = connect
        options.calls = calls
        options.memoryPerCall = memoryPerCall
        if let handle {
            do throws(CallError) {
                options.handle = try Handle(parsing: handle)
            } catch {
                throw Failure(.usage, error.message)
            }
        }
        options.points = Set(only.isEmpty ? Point.allCases : only).subtracting(skip)
        return options
    }
}

extension PluginFileError {
    /// Whether there is nothing of that name, as opposed to something that is no plugin.
    fileprivate var isAbsence: Bool {
        if case .unreadable = self { true } else { false }
    }
}

private func point(_ name: String) throws -> Point {
    guard let point = Point(rawValue: name) else {
        throw ValidationError("There is no point \(name.printable); callctl certify --list names them all.")
    }
    return point
}
