// callkit-desktop: the desktop agent. Wiring only: options, log, signals.

import ArgumentParser
import CallClient
import CallModel
import DesktopAgent
import EventLoop
import Glibc
import Logging
import Sound
import Synchronization

@main
struct CallkitDesktop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkit-desktop",
        abstract: "Shows calls, rings, and makes room for them on the desktop.",
        version: OpenCallKitVersion.text)

    @Option(help: ArgumentHelp("D-Bus address to use instead of the session bus.", valueName: "address"))
    var address: String?

    @Flag(help: "Give a link, or a click on the phone's icon, to the session's agent, and end.") var open = false

    @Argument(help: "With --open, a link such as tel:+46701740605.") var link: String?

    @Option(
        help: ArgumentHelp(
            "Set a deadline, such as question=60000 (ms); may be repeated. Kinds: "
                + DesktopDeadlineKind.allCases.map(\.rawValue).joined(separator: ", ") + ".",
            valueName: "kind=ms"),
        transform: DesktopDeadlineOption.init(parsing:))
    var deadline: [DesktopDeadlineOption] = []

    static func main() {
        do { main(try ProcessEnvironment.arguments) } catch { exit(withError: error) }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        ProcessMemory.keepPrivate()
        // Address books arrive as one message each.
        ProcessMemory.returnLargeBlocks()
        Loop.runAllJobs()
        let address = address
        if open { return try Self.handOver(link, on: address) }
        var deadlines = DesktopDeadlines()
        for option in deadline { deadlines[option.kind] = option.duration }
        Loop.shared.post { [deadlines] in Self.start(on: address, deadlines) }
        Loop.shared.run()
    }

    func validate() throws {
        guard open || link == nil else { throw ValidationError("a link needs --open") }
    }

    private static func handOver(_ link: String?, on address: String?) throws {
        Loop.shared.post {
            LinkHandover.open(link, on: address) { error in
                if let error {
                    Logger(label: "callkit-desktop").error("the agent does not take it: \(error)")
                    exitStatus.store(ProgramExit.failure.rawValue, ordering: .relaxed)
                }
                Loop.shared.stop()
            }
        }
        Loop.shared.run()
        let status = exitStatus.load(ordering: .relaxed)
        if status != 0 { throw ExitCode(status) }
    }

    @LoopActor private static func start(on address: String?, _ deadlines: DesktopDeadlines) {
        let environment = ProcessEnvironment.current
        let context = DesktopContext(
            model: CallSystemModel(on: address), sound: SoundServer(),
            settings: DesktopSettings(environment: environment), environment: environment,
            deadlines: deadlines, log: Logger(label: "callkit-desktop"))
        let agent = DesktopAgent(context)
        func stop() {
            Task {
                await agent.stop()
                Loop.shared.stop()
            }
        }
        signals = try? SignalWatch([SIGTERM, SIGINT, SIGHUP]) { _ in stop() }
        agent.onSuperseded = {
            context.log.notice("another agent serves this session")
            stop()
        }
        agent.onBusGone = {
            context.log.notice("there is no session bus")
            stop()
        }
        agent.start()
    }
}

/// Watched until the program ends.
@LoopActor private var signals: SignalWatch?

private let exitStatus = Atomic<Int32>(0)
