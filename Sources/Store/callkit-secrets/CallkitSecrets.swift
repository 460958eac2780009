// callkit-secrets: keeps the secrets of accounts. Wiring only: options, link.

import ArgumentParser
import CallModel
import DBus
import EventLoop
import Files
import Glibc

@main
struct CallkitSecrets: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callkit-secrets",
        abstract: "Keeps the secrets of accounts for callkitd, which starts it.",
        discussion: """
            Speaks D-Bus messages over a SOCK_SEQPACKET socket that it inherits, and ends when that is closed. It keeps \
            secrets in the keyring of the session bus, in its memory, or in files in \
            $XDG_STATE_HOME/opencallkit/secrets, as callkitd asks. It writes no log.
            """)

    @Argument(help: "The number of the inherited socket.")
    var link: Int32

    static func main() {
        do { main(try ProcessEnvironment.arguments) } catch { exit(withError: error) }
    }

    func run() throws {
        ProcessMemory.keepPrivate()
        // Its files are accessible to the user only.
        umask(0o077)
        // Writing to a file that has reached its size limit fails instead of killing the process.
        signal(SIGXFSZ, SIG_IGN)
        let (descriptor, folder) = (link, Self.stateFolder(ProcessEnvironment.current))
        Loop.shared.post { Self.serve(descriptor, folder) }
        Loop.shared.run()
    }

    @LoopActor private static func serve(_ descriptor: Int32, _ folder: String) {
        guard let link = try? PrivateLink(descriptor: descriptor), let keyring = try? Keyring() else {
            Glibc.exit(ProgramExit.failure.rawValue)
        }
        let server = SecretsServer(link, keyring, SecretFolder(folder))
        link.onClosed = { _ in
            server.stop()
            Loop.shared.stop()
        }
        server.start()
    }

    private static func stateFolder(_ environment: [String: String]) -> String {
        (BaseFolder.state.path(in: environment) ?? "/.local/state") + "/opencallkit/secrets"
    }
}
