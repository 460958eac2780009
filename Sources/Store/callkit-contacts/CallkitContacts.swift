// callkit-contacts: reads the user's vCards. Wiring only: options, link.

import ArgumentParser
import CVCard
import CallModel
import DBus
import EventLoop
import Glibc
import Numbers
import Sandbox
import WorkerLaunch

@main
struct CallkitContacts: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkit-contacts",
        abstract: "Reads folders of vCards for callkit-store, which starts it for one reading.",
        discussion: """
            Speaks D-Bus messages over a SOCK_SEQPACKET socket that it inherits, and ends when that is closed or all is \
            read. It confines itself before it reads: it can read these folders, and do nothing else. A malicious file can \
            end this process, and no other.
            """)

    @Argument(help: "The number of the inherited socket.")
    var link: Int32

    @Argument(
        help: "The folders, as absolute paths, in order: of two contacts with the same handle the first one names it.")
    var folders: [String] = []

    @Option(
        name: .customLong("pictures"), parsing: .singleValue,
        help: ArgumentHelp("A folder with pictures to which vCards refer; may be repeated.", valueName: "folder"))
    var pictureFolders: [String] = []

    @Option(
        help: ArgumentHelp("The region of national numbers, such as SE. Default: the locale's.", valueName: "letters"))
    var region: String?

    @Option(parsing: .singleValue, help: .hidden, transform: SimulatedKernel.feature(named:))
    var sandboxWithout: [SimulatedKernel.Feature] = []

    @Option(name: .customLong("sandbox-landlock-abi"), help: .hidden)
    var landlockABI: Int?

    static func main() {
        do { main(try ProcessEnvironment.arguments) } catch { exit(withError: error) }
    }

    func run() throws {
        ock_vcards_confine()
        let report = confine()
        ProcessMemory.keepPrivate()
        let plan = region.map { NumberPlan(region: $0) } ?? NumberPlan(environment: ProcessEnvironment.current)
        let (descriptor, folders) = (link, folders)
        Loop.shared.post { Self.read(descriptor, folders, plan, report) }
        Loop.shared.run()
    }

    /// Leaves nothing but the folders and the link.
    private func confine() -> String {
        do {
            let kernel = SimulatedKernel(without: Set(sandboxWithout), landlockABI: landlockABI)
            let policy = try HelperPolicy.reader(of: folders + pictureFolders, kernel: kernel)
            return String(decoding: try ProcessSandbox.enter(policy.text), as: UTF8.self)
        } catch {
            // Who reads what strangers write without a sandbox would rather not.
            Glibc.exit(ProgramExit.notConfined.rawValue)
        }
    }

    @LoopActor private static func read(_ descriptor: Int32, _ folders: [String], _ plan: NumberPlan, _ report: String)
    {
        guard let link = try? PrivateLink(descriptor: descriptor) else { Glibc.exit(ProgramExit.failure.rawValue) }
        let reader = ContactsReader(link, folders, plan, sandbox: report)
        link.onClosed = { _ in
            withExtendedLifetime(reader) {}
            Loop.shared.stop()
        }
        reader.start()
    }
}
