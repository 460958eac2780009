// callkit-desktop: the desktop agent. Wiring only: options, log, signals.

import ArgumentParser
import CallClient
import CallModel
import DesktopAgent
import EventLoop
import Glibc
import Logging
import Sound

@main
struct CallkitDesktop: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkit-desktop",
        abstract: "Shows calls, rings, and makes room for them on the desktop.",
        version: OpenCallKitVersion.text)

    @Option(help: ArgumentHelp("D-Bus address to use instead of the session bus.", valueName: "address"))
    var address: String?

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        Loop.takeAllJobs()
        let address = address
        Loop.shared.post { Self.start(on: address) }
        Loop.shared.run()
    }

    @LoopActor private static func start(on address: String?) {
        let environment = ProcessEnvironment.current
        let context = DesktopContext(
            model: CallSystemModel(on: address), sound: SoundServer(),
            settings: DesktopSettings(environment: environment), environment: environment,
            log: Logger(label: "callkit-desktop"))
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
        agent.start()
    }
}

/// Watched until the program ends.
@LoopActor private var signals: SignalWatch?
