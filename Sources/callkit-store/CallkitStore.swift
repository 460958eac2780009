// callkit-store: keeps what outlives a call. Wiring only: options, log, link.

import ArgumentParser
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
        abstract: "Keeps recents, favourites and directories for callkitd, which starts it.",
        discussion: """
            Speaks D-Bus messages over a SOCK_SEQPACKET socket that it inherits, and ends when that is closed. It keeps \
            its files in $XDG_DATA_HOME/opencallkit.
            """)

    @Argument(help: "The number of the inherited socket.")
    var link: Int32

    @Option(help: ArgumentHelp("The region of national numbers, such as SE; else the locale's.", valueName: "letters"))
    var region: String?

    @Option(help: "How much to log on standard error.", transform: { Logger.Level(rawValue: $0) ?? .notice })
    var logLevel: Logger.Level = .notice

    func run() throws {
        var logger = Logger(label: "callkit-store") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        let log = logger
        // What it writes is the user's alone.
        umask(0o077)
        // A file that may not grow is an error to write to, not the end.
        signal(SIGXFSZ, SIG_IGN)
        let environment = ProcessEnvironment.current
        let plan = region.map { NumberPlan(region: $0) } ?? NumberPlan(environment: environment)
        let folder = Self.folder(environment)
        Loop.shared.post { Self.serve(link, plan, folder, environment, log) }
        Loop.shared.run()
    }

    @LoopActor private static func serve(
        _ descriptor: Int32, _ plan: NumberPlan, _ folder: String, _ environment: [String: String], _ log: Logger
    ) {
        let link: PrivateLink
        do throws(DBusError) {
            link = try PrivateLink(descriptor: descriptor)
        } catch {
            log.critical("no link: \(error.message)")
            return Loop.shared.stop()
        }
        let server = StoreServer(link: link, plan: plan, folder: folder, environment: environment, log: log)
        link.onClosed = { _ in server.finish { Loop.shared.stop() } }
        server.start()
        NumberPlan.prepare()
    }

    /// Relative names in XDG variables do not count, as the specification wants it.
    private static func folder(_ environment: [String: String]) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/opencallkit" }
        return (environment["HOME"] ?? "") + "/.local/share/opencallkit"
    }
}
