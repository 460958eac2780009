// callkitd: the daemon. Wiring only: options, log, bus, signals.

import ArgumentParser
import CallHost
import CallModel
import EventLoop
import Files
import Logging
import WorkerLaunch

@main
struct Callkitd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkitd",
        abstract: "Coordinates all calls on the desktop, whichever app or network they belong to.",
        discussion: """
            Owns org.opencallkit.CallSystem1 on the session bus, runs each provider plugin in a process of its own, \
            and holds the active call before another one starts or is answered, across providers.

            Plugins are searched in --plugin-path, $OPENCALLKIT_PLUGIN_PATH, the user's and the system's data folders \
            and the library folder, under opencallkit/plugins. If two plugins have the same name, the first is used.

            A recording is a scenario file: every input of the core and its effects. callctl replay plays it again. \
            It has no handles, names, contacts or digits, unless --record-identities is given. The log has the same \
            pseudonyms, unless --log-identities is given.

            Options can also stand in a file, callkitd.conf, one per line without the dashes, such as policy = ios. \
            Switches take yes or no. Lines that begin with # are comments. The file is searched in \
            $XDG_CONFIG_HOME/opencallkit (~/.config/opencallkit), then in opencallkit below $XDG_CONFIG_DIRS \
            (/etc/xdg); the first that exists is read. An option on the command line replaces the file's.

            Exit status: 0 after SIGTERM or SIGINT; 1 if it cannot start, or if there is no bus for 10 seconds and no \
            call of a plugin lives on; 3 if another callkitd owns the name; 64 for invalid arguments, or an invalid \
            configuration file.
            """,
        version: OpenCallKitVersion.text)

    @Option(
        name: .customLong("plugin-path"), parsing: .singleValue,
        help: ArgumentHelp("Search this folder for plugins before all others; may be repeated.", valueName: "folder"))
    var pluginFolders: [String] = []

    @Option(help: ArgumentHelp("D-Bus address to serve on instead of the session bus.", valueName: "address"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "How much to log on standard error: trace, debug, info, notice, warning, error, critical.",
            valueName: "level"),
        transform: Self.level)
    var logLevel: Logger.Level = .notice

    @Flag(help: "Log handles, names and digits too, and quote files with errors.")
    var logIdentities = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Set a deadline, such as answer=2000 (ms); may be repeated. The property Deadlines lists all.",
            valueName: "kind=ms"),
        transform: DeadlineOption.init(parsing:))
    var deadline: [DeadlineOption] = []

    @Option(
        help: ArgumentHelp(
            "The arbitration policy: \(Policy.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"),
        transform: Self.policy)
    var policy: Policy = .desktop

    @Option(
        help: ArgumentHelp(
            "Record every input and its effects to a new file, a named pipe or /dev/fd/N.", valueName: "file"))
    var record: String?

    @Flag(help: "Record handles, names, contacts and digits too.")
    var recordIdentities = false

    @Option(help: ArgumentHelp("The worker program, if it is not beside callkitd.", valueName: "file"))
    var worker: String?

    @Option(help: ArgumentHelp("The store program, if it is not beside callkitd.", valueName: "file"))
    var store: String?

    @Flag(help: "Keep nothing that outlives a call: no recents, favorites or directories.")
    var noStore = false

    @Option(
        help: ArgumentHelp(
            "The region of numbers without a country code, such as SE. Default: the locale's.", valueName: "letters"))
    var region: String?

    @Option(
        name: .customLong("contacts"), parsing: .singleValue,
        help: ArgumentHelp(
            """
            Name callers by the vCards in this folder (an absolute path), such as vdirsyncer's; may be repeated. \
            Default: $XDG_DATA_HOME/kpeoplevcard, where KDE Connect keeps the phone's contacts.
            """, valueName: "folder"),
        transform: Self.folder)
    var contactFolders: [String] = []

    @Option(
        name: .customLong("no-sandbox"), parsing: .singleValue,
        help: ArgumentHelp(
            "Run this plugin without a sandbox, for a debugger; may be repeated. Not in callkitd.conf.", valueName: "id"
        ),
        transform: Self.plugin)
    var unconfinedPlugins: [String] = []

    @Option(parsing: .singleValue, help: .hidden, transform: SimulatedKernel.feature(named:))
    var sandboxWithout: [SimulatedKernel.Feature] = []

    @Option(help: .hidden)
    var sandboxLandlockAbi: Int?

    /// For tests and measurements that make more calls in a second than anybody else may.
    @Option(help: .hidden)
    var newCallsPerSecond: Int?

    @Option(help: .hidden)
    var updatesPerSecond: UInt32?

    @Option(help: .hidden)
    var workerPingPeriod: UInt32?

    @Option(
        help: ArgumentHelp(
            "End after this long without a bus, unless a call of a plugin lives on.", valueName: "ms"),
        transform: Self.busTimeout)
    var busTimeout = Duration.seconds(10)

    static func main() {
        do {
            let arguments = try ProcessEnvironment.arguments
            // The command line alone comes first: --help needs no configuration file.
            _ = try parse(arguments)
            let file = try ConfigurationFile.first(in: ProcessEnvironment.current)
            var command = try parse(file.map { try $0.arguments(without: arguments) + arguments } ?? arguments)
            try command.run()
        } catch {
            exit(withError: error)
        }
    }

    mutating func run() throws {
        ProcessMemory.keepPrivate()
        ProcessMemory.returnLargeBlocks()
        // The threads that the runtime would start for them wake up each second.
        Loop.runAllJobs()
        var logger = Logger(label: "callkitd") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        var environment = ProcessEnvironment.current
        let manager = ServiceManager(takingFrom: &environment)
        guard address != nil || !(environment["DBUS_SESSION_BUS_ADDRESS"] ?? "").isEmpty else {
            logger.critical("no session bus: DBUS_SESSION_BUS_ADDRESS is not set and no --address was given")
            throw ExitCode(ProgramExit.failure.rawValue)
        }
        let folder = ProcessEnvironment.executableFolder
        var configuration = HostConfiguration(
            workerPath: worker ?? Self.path(of: "callkit-worker", beside: folder), executableFolder: folder,
            environment: environment)
        configuration.storePath = noStore ? nil : store ?? Self.path(of: "callkit-store", beside: folder)
        configuration.secretsPath = Self.path(of: "callkit-secrets", beside: folder)
        configuration.region = region
        configuration.pluginFolders = pluginFolders
        configuration.contactFolders = contactFolders
        configuration.policy = policy
        configuration.unconfinedPlugins = Set(unconfinedPlugins)
        configuration.simulatedKernel = SimulatedKernel(
            without: Set(sandboxWithout), landlockABI: sandboxLandlockAbi)
        configuration.controlGroups = Self.controlGroups(log: logger)
        configuration.recordPath = record
        configuration.recordsIdentities = recordIdentities
        configuration.logsIdentities = logIdentities
        if let workerPingPeriod { configuration.workerPingPeriod = .milliseconds(max(1, workerPingPeriod)) }
        if let updatesPerSecond { configuration.updatesPerSecond = max(1, Int(updatesPerSecond)) }
        if let newCallsPerSecond { configuration.allow(newCallsPerSecond: newCallsPerSecond) }
        for option in deadline { configuration.deadlines[option.kind] = option.milliseconds }
        let settings = DaemonSettings(
            host: configuration, address: address, busTimeout: busTimeout, manager: manager)
        let status = Daemon.run(settings, log: logger)
        if status != 0 { throw ExitCode(status) }
    }

    /// Takes the control group over that a service manager has handed to this process, before there are children in it.
    private static func controlGroups(log: Logger) -> ControlGroupTree? {
        guard let group = ControlGroupTree.ownGroup() else { return nil }
        do throws(SystemError) {
            return try ControlGroupTree(takingOver: group)
        } catch {
            log.info("workers have no control groups, and are watched instead: \(group): \(error)")
            return nil
        }
    }

    private static func plugin(_ text: String) throws -> String {
        let isID = text.unicodeScalars.allSatisfy { scalar in
            "A"..."Z" ~= scalar || "a"..."z" ~= scalar || "0"..."9" ~= scalar || scalar == "_"
        }
        guard isID, (1...64).contains(text.utf8.count) else {
            throw ValidationError("\(text) is not a valid id of a plugin, expected 1 to 64 of A-Z, a-z, 0-9 and _")
        }
        return text
    }

    private static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(text) is not a valid log level, expected one of \(known)")
        }
        return level
    }

    private static func busTimeout(_ text: String) throws -> Duration {
        guard let milliseconds = UInt32(text), milliseconds > 0 else {
            throw ValidationError("\(text) is not a valid time, expected milliseconds, such as 10000")
        }
        return .milliseconds(milliseconds)
    }

    private static func folder(_ text: String) throws -> String {
        guard text.hasPrefix("/"), text.count > 1 else {
            throw ValidationError("\(text) is not a valid folder of contacts, expected an absolute path")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private static func policy(_ text: String) throws -> Policy {
        guard let policy = Policy(named: text) else {
            let known = Policy.all.map(\.name).joined(separator: ", ")
            throw ValidationError("\(text) is not a valid policy, expected one of \(known)")
        }
        return policy
    }

    /// Beside the daemon in a build folder, under libexec in an installation.
    private static func path(of program: String, beside folder: String) -> String {
        let installed = folder + "/../libexec/opencallkit/" + program
        return ProcessEnvironment.isExecutable(installed) ? installed : folder + "/" + program
    }
}

/// `kind=ms`, as `--deadline` takes it.
struct DeadlineOption {
    let kind: DeadlineKind
    let milliseconds: UInt32

    init(parsing text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard let kind = parts.first.flatMap({ DeadlineKind(rawValue: $0) }) else {
            let known = DeadlineKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(text) is not a valid deadline, expected kind=ms with a kind of \(known)")
        }
        guard parts.count == 2, let milliseconds = UInt32(parts[1]), milliseconds > 0 else {
            throw ValidationError("\(text) is not a valid deadline, expected \(kind.rawValue)=ms, at least 1 ms")
        }
        self.kind = kind
        self.milliseconds = milliseconds
    }
}
