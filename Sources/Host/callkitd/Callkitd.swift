// callkitd: the daemon. Wiring only: options, log, bus, signals.

import ArgumentParser
import CallHost
import CallModel
import EventLoop
import Logging

@main
struct Callkitd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkitd",
        abstract: "One place that knows every call on the desktop and coordinates them all.",
        discussion: """
            Owns org.opencallkit.CallSystem1 on the session bus, starts each provider plugin in a process of its own, \
            and holds one call before another begins, whichever providers they belong to.

            Plugins are searched in --plugin-path, $OPENCALLKIT_PLUGIN_PATH, the user's and the system's data folders \
            and the library folder, under opencallkit/plugins; the first of a name wins.

            A recording is a scenario file: every input of the core and what followed. callctl replay plays it again. \
            It tells no handles, names, contacts or digits unless asked to.

            Exit status: 0 after SIGTERM or SIGINT, 1 if it cannot start, 3 if another callkitd owns the name, \
            64 for wrong usage.
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

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Set a deadline, e.g. answer=2000 (ms); may be repeated. The bus shows them all as Deadlines.",
            valueName: "kind=ms"))
    var deadline: [DeadlineOption] = []

    @Option(
        help: ArgumentHelp(
            "How calls give way where tastes differ: \(Policy.all.map(\.name).joined(separator: ", ")).",
            valueName: "name"),
        transform: Self.policy)
    var policy: Policy = .desktop

    @Option(
        help: ArgumentHelp(
            "Record everything that happens to a new file, a named pipe or /dev/fd/N.", valueName: "file"))
    var record: String?

    @Flag(help: "Let the recording tell who calls whom, and what is dialed.")
    var recordIdentities = false

    @Option(help: ArgumentHelp("The worker program, if it is not beside callkitd.", valueName: "file"))
    var worker: String?

    @Option(help: ArgumentHelp("The store program, if it is not beside callkitd.", valueName: "file"))
    var store: String?

    @Flag(help: "Keep nothing that outlives a call: no recents, favourites or directories.")
    var noStore = false

    @Option(
        help: ArgumentHelp(
            "The region of numbers without a country code, such as SE; else the locale's.", valueName: "letters"))
    var region: String?

    @Option(
        name: .customLong("contacts"), parsing: .singleValue,
        help: ArgumentHelp(
            """
            Name callers by the vCards in this folder, such as that of vdirsyncer or khard, absolute; may be repeated. \
            Usually $XDG_DATA_HOME/kpeoplevcard, where KDE Connect keeps the phone's contacts.
            """, valueName: "folder"),
        transform: Self.folder)
    var contactFolders: [String] = []

    mutating func run() throws {
        var logger = Logger(label: "callkitd") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        let environment = ProcessEnvironment.current
        guard address != nil || !(environment["DBUS_SESSION_BUS_ADDRESS"] ?? "").isEmpty else {
            logger.critical("no session bus: DBUS_SESSION_BUS_ADDRESS is not set and no --address was given")
            throw ExitCode(ProgramExit.failure.rawValue)
        }
        let folder = ProcessEnvironment.executableFolder
        var configuration = HostConfiguration(
            workerPath: worker ?? Self.path(of: "callkit-worker", beside: folder), executableFolder: folder,
            environment: environment)
        configuration.storePath = noStore ? nil : store ?? Self.path(of: "callkit-store", beside: folder)
        configuration.region = region
        configuration.pluginFolders = pluginFolders
        configuration.contactFolders = contactFolders
        configuration.policy = policy
        configuration.recordPath = record
        configuration.recordsIdentities = recordIdentities
        for option in deadline { configuration.deadlines[option.kind] = option.milliseconds }
        let status = Daemon.run(configuration, address: address, log: logger)
        if status != 0 { throw ExitCode(status) }
    }

    private static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else {
            let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(text) is no log level, expected one of \(known)")
        }
        return level
    }

    private static func folder(_ text: String) throws -> String {
        guard text.hasPrefix("/"), text.count > 1 else {
            throw ValidationError("\(text) is no folder of contacts, expected an absolute name")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    private static func policy(_ text: String) throws -> Policy {
        guard let policy = Policy(named: text) else {
            let known = Policy.all.map(\.name).joined(separator: ", ")
            throw ValidationError("\(text) is no policy, expected one of \(known)")
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
struct DeadlineOption: ExpressibleByArgument {
    let kind: DeadlineKind
    let milliseconds: UInt32

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let kind = DeadlineKind(rawValue: parts[0]), let milliseconds = UInt32(parts[1]),
            milliseconds > 0
        else { return nil }
        self.kind = kind
        self.milliseconds = milliseconds
    }
}
