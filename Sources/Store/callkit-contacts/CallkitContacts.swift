// callkit-contacts: reads the user's vCards. Wiring only: options, link.

import ArgumentParser
import CVCard
import CallModel
import DBus
import EventLoop
import Glibc
import Numbers

@main
struct CallkitContacts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkit-contacts",
        abstract: "Reads folders of vCards for callkit-store, which starts it for one reading.",
        discussion: """
            Speaks D-Bus messages over a SOCK_SEQPACKET socket that it inherits, and ends when that is closed or all is \
            read. A malicious file can end this process, and no other.
            """)

    @Argument(help: "The number of the inherited socket.")
    var link: Int32

    @Option(
        help: ArgumentHelp("The region of national numbers, such as SE. Default: the locale's.", valueName: "letters"))
    var region: String?

    func run() throws {
        ProcessMemory.keepPrivate()
        ock_vcards_confine()
        let plan = region.map { NumberPlan(region: $0) } ?? NumberPlan(environment: ProcessEnvironment.current)
        let descriptor = link
        Loop.shared.post { Self.read(descriptor, plan) }
        Loop.shared.run()
    }

    @LoopActor private static func read(_ descriptor: Int32, _ plan: NumberPlan) {
        guard let link = try? PrivateLink(descriptor: descriptor) else { Glibc.exit(ProgramExit.failure.rawValue) }
        let reader = ContactsReader(link, plan)
        link.onClosed = { _ in
            withExtendedLifetime(reader) {}
            Loop.shared.stop()
        }
        reader.start()
    }
}
