// callkit-store: keeps recents, favorites and directories. Options, log and link only.

import ArgumentParser
import CallModel
import CallStore
import DBus
import EventLoop
import Files
import Glibc
import Logging
import Numbers
import Sandbox
import WorkerLaunch

@main
struct CallkitStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkit-store",
        abstract: "Keeps recents, favorites and directories for callkitd, which starts it.",
        discussion: """
            Speaks D-Bus messages over a SOCK_SEQPACKET socket that it inherits, and ends when that is closed. It keeps \
            its files in $XDG_DATA_HOME/opencallkit, and writes nowhere else, except to folders of pictures and of \
            plugins. Callers are named by the vCards that KDE Connect keeps of the phone's contacts in \
            $XDG_DATA_HOME/kpeoplevcard, or by those in the folders that are given; and by those that the desktop agent \
            copies to $XDG_RUNTIME_DIR/opencallkit/contacts from evolution-data-server.
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

    @Option(parsing: .singleValue, help: .hidden, transform: SimulatedKernel.feature(named:))
    var sandboxWithout: [SimulatedKernel.Feature] = []

    @Option(name: .customLong("sandbox-landlock-abi"), help: .hidden)
    var landlockABI: Int?

    static func main() {
        do { main(try ProcessEnvironment.arguments) } catch { exit(withError: error) }
    }

    func run() throws {
        var logger = Logger(label: "callkit-store") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        let (log, identities) = (logger, logIdentities)
        // Its files are accessible to the user only.
        umask(0o077)
        // Writing to a file that has reached its size limit fails instead of killing the process.
        signal(SIGXFSZ, SIG_IGN)
        let environment = ProcessEnvironment.current
        let kernel = SimulatedKernel(without: Set(sandboxWithout), landlockABI: landlockABI)
        let held = HeldFolder(making: Self.dataFolder(environment) + "/opencallkit")
        Self.confine(to: held.path, environment, kernel, log)
        ProcessMemory.keepPrivate()
        // SQLite writes temporary files with what the user has: they stay on the same disk.
        setenv("SQLITE_TMPDIR", held.path, 1)
        let folder = StoreFolder(held) { reason in
            log.notice("callkit-store ends, to be started again: \(reason)")
            Glibc.exit(ProgramExit.startAgain.rawValue)
        }
        let plan = region.map { NumberPlan(region: $0) } ?? NumberPlan(environment: environment)
        var folders = contactFolders.isEmpty ? [Self.dataFolder(environment) + "/kpeoplevcard"] : contactFolders
        // Where the desktop agent copies the address books of evolution-data-server.
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            folders.append(runtime + "/opencallkit/contacts")
        }
        let contacts = (folders, ProcessEnvironment.executableFolder + "/callkit-contacts")
        Loop.shared.post { Self.serve(link, plan, folder, environment, contacts, kernel, (log, identities)) }
        Loop.shared.run()
    }

    /// Leaves this process its own folders to write to, nothing else, and no sockets but its link.
    private static func confine(
        to folder: String, _ environment: [String: String], _ kernel: SimulatedKernel, _ log: Logger
    ) {
        var folders = [folder]
        // Workers that load directories write to the folders of their plugins, which must be writable here as well.
        folders += PluginStorage.roots(in: environment)
        if let pictures = StoreServer.pictureFolder(environment) { folders.append(pictures) }
        // The user's own plugins lie in the folder too; whoever adds one there has it started.
        let plugins = folder + "/plugins"
        for folder in folders.dropFirst() + [plugins] { _ = HeldFolder(making: folder) }
        do {
            let policy = try HelperPolicy.writer(of: folders, except: [plugins], kernel: kernel)
            SandboxReport(try ProcessSandbox.enter(policy.text))?.log("callkit-store", to: log)
        } catch {
            log.critical("callkit-store has no sandbox: \(error)")
            Glibc.exit(ProgramExit.notConfined.rawValue)
        }
    }

    @LoopActor private static func serve(
        _ descriptor: Int32, _ plan: NumberPlan, _ folder: StoreFolder, _ environment: [String: String],
        _ contacts: (folders: [String], reader: String), _ kernel: SimulatedKernel,
        _ log: (logger: Logger, hasIdentities: Bool)
    ) {
        let link: PrivateLink
        do throws(DBusError) {
            link = try PrivateLink(descriptor: descriptor)
        } catch {
            log.logger.critical("no link: \(error.message)")
            Glibc.exit(ProgramExit.failure.rawValue)
        }
        link.acceptLargeMessages()
        let server = StoreServer(
            link: link, plan: plan, folder: folder, environment: environment, contacts: contacts,
            kernel: kernel, log: log.logger, logsIdentities: log.hasIdentities)
        link.onClosed = { _ in server.finish { Loop.shared.stop() } }
        server.start()
        NumberPlan.prepare()
    }

    private static func dataFolder(_ environment: [String: String]) -> String {
        BaseFolder.data.path(in: environment) ?? "/.local/share"
    }
}
