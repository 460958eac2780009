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
        let address = address
        Loop.shared.post {
            let context = DesktopContext(
                model: CallSystemModel(on: address), sound: SoundServer(), settings: DesktopSettings(),
                environment: ProcessEnvironment.current, log: Logger(label: "callkit-desktop"))
            let agent = DesktopAgent(context)
            var signals: SignalWatch?
            signals = try? SignalWatch([SIGTERM, SIGINT, SIGHUP]) { _ in
                withExtendedLifetime(signals) {}
                agent.stop()
                Loop.shared.stop()
            }
            agent.start()
        }
        Loop.shared.run()
    }
}
