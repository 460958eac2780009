// callkit-store: keeps recents, favorites and directories. Options, log and link only.

import ArgumentParser
import CallModel
import CallStore
import DBus
import EventLoop
import Glibc
import Logging
import Numbers

@main
struct CallkitStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkit-store",
        abstract: "Keeps recents, favorites and directories for callkitd, which starts it.",
        discussion: """
            Speaks D-Bus messages over a SOCK_SEQPACKET socket that it inherits, and ends when that is closed. It keeps \
            its files in $XDG_DATA_HOME/opencallkit. Callers are named by the vCards that KDE Connect keeps of the phone's \
            contacts in $XDG_DATA_HOME/kpeoplevcard, or by those in the folders that are given; and by those that the \
            desktop agent copies to $XDG_RUNTIME_DIR/opencallkit/contacts from evolution-data-server.
            """)

    @Argument(help: "The number of the inherited socket.")
    var link: Int32

    @Option(
        help: ArgumentHelp("The region of national numbers, such as SE. Default: the locale's.", valueName: "letters"))
    var region: String?

    @Option(
        name: .customLong("contacts"), parsing: .singleValue,
        help: ArgumentHelp(
            "Read vCards in this folder, instead of where the phone's contacts are kept; may be repeated.",
            valueName: "folder"))
    var contactFolders: [String] = []

    @Option(help: "How much to log on standard error.", transform: { Logger.Level(rawValue: $0) ?? .notice })
    var logLevel: Logger.Level = .notice

    @Flag(help: "Quote rules and entries of lists in the log.")
    var logIdentities = false

    func run() throws {
        ProcessMemory.keepPrivate()
        var logger = Logger(label: "callkit-store") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        let (log, identities) = (logger, logIdentities)
        // Its files are accessible to the user only.
        umask(0o077)
        // Writing to a file that has reached its size limit fails instead of killing the process.
        signal(SIGXFSZ, SIG_IGN)
        let environment = ProcessEnvironment.current
        let folder = Self.dataFolder(environment) + "/opencallkit"
        // SQLite writes temporary files with what the user has: they stay on the same disk.
        setenv("SQLITE_TMPDIR", folder, 1)
        let plan = region.map { NumberPlan(region: $0) } ?? NumberPlan(environment: environment)
        var folders = contactFolders.isEmpty ? [Self.dataFolder(environment) + "/kpeoplevcard"] : contactFolders
        // Where the desktop agent copies the address books of evolution-data-server.
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            folders.append(runtime + "/opencallkit/contacts")
        }
        let contacts = (folders, ProcessEnvironment.executableFolder + "/callkit-contacts")
        Loop.shared.post { Self.serve(link, plan, folder, environment, contacts, (log, identities)) }
        Loop.shared.run()
    }

    @LoopActor private static func serve(
        _ descriptor: Int32, _ plan: NumberPlan, _ folder: String, _ environment: [String: String],
        _ contacts: (folders: [String], reader: String), _ log: (logger: Logger, hasIdentities: Bool)
    ) {
        let link: PrivateLink
        do throws(DBusError) {
            link = try PrivateLink(descriptor: descriptor)
        } catch {
            log.logger.critical("no link: \(error.message)")
            Glibc.exit(ProgramExit.failure.rawValue)
        }
        link.takeLargeMessages()
        let server = StoreServer(
            link: link, plan: plan, folder: folder, environment: environment, contacts: contacts,
            log: log.logger, logsIdentities: log.hasIdentities)
        link.onClosed = { _ in server.finish { Loop.shared.stop() } }
        server.start()
        NumberPlan.prepare()
    }

    /// The XDG specification says that relative paths are invalid and ignored.
    private static func dataFolder(_ environment: [String: String]) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data }
        return (environment["HOME"] ?? "") + "/.local/share"
    }
}
