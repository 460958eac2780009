// From a process to the identity of its connection, by what the kernel tells of it.

import DBus
import EventLoop
import Files

/// Looks at the process behind a connection. Everything that the process itself has a say in can only make it a
/// stranger.
struct ProcessInspection: Sendable {
    /// A program that speaks on the bus for apps in sandboxes.
    private static let proxy = "xdg-dbus-proxy"

    private let credentials: ConnectionCredentials
    private let process: ObservedProcess
    /// When the first message of the connection arrived, in ticks of the system.
    private let arrived: UInt64
    private let program: String

    /// What a look at the process has shown.
    enum Finding: Sendable, Equatable {
        case identity(ClientIdentity)
        /// The process has a root folder of its own, which must be looked into. That may take long.
        case ownRoot
    }

    /// - Throws: an identity that needs no look.
    init(_ credentials: ConnectionCredentials, arrived: UInt64) throws(NoProcess) {
        guard let id = credentials.process, credentials.user != nil else {
            throw NoProcess(identity: ClientIdentity(.unknown("the bus does not know its process")))
        }
        do throws(SystemError) {
            process = try ObservedProcess(id, descriptor: credentials.descriptor?.number)
        } catch {
            throw NoProcess(identity: ClientIdentity(.unknown("its process cannot be observed: \(error)"), process: id))
        }
        self.credentials = credentials
        self.arrived = arrived
        program = process.program
    }

    struct NoProcess: Error {
        let identity: ClientIdentity
    }

    /// Looks without opening a file of the process: what it reads cannot keep anybody waiting.
    func begin() -> Finding {
        do throws(SystemError) {
            let finding = try firstFinding()
            return process.isAlive ? finding : .identity(unknown("its process has ended"))
        } catch {
            return .identity(unknown("its process cannot be observed: \(error)"))
        }
    }

    /// Looks into the root folder of the process, which may lie on a file system of anybody's.
    func lookIntoRoot() -> ClientIdentity {
        let identity: ClientIdentity
        do throws(SystemError) {
            if let text = try process.file(inRoot: ".flatpak-info", longest: FlatpakInfo.longest) {
                identity = FlatpakInfo(text: text).map { client(.app($0.app)) } ?? unknown("its sandbox names no app")
            } else {
                // A container or a service of the user with its own view of the files, as portals have it.
                identity = outside()
            }
        } catch {
            identity = unknown("its sandbox cannot be read: \(error)")
        }
        return process.isAlive ? identity : unknown("its process has ended")
    }

    private func firstFinding() throws(SystemError) -> Finding {
        guard try process.started() <= arrived else {
            return .identity(unknown("its process has ended, and another one has its id"))
        }
        let user = try process.user()
        guard user == credentials.user else { return .identity(unknown("its process has become another user's")) }
        guard user == FileStatus.currentUser || user == 0 else {
            return .identity(unknown("it is a program of user \(user)"))
        }
        let cgroup = try process.text(of: "cgroup")
        if let snap = SnapName.of(label: credentials.label) ?? SnapName.of(cgroup: cgroup) {
            return .identity(client(.app(snap)))
        }
        // Root can do anything to the user's programs.
        if user != FileStatus.currentUser { return .identity(client(.user)) }
        guard let view = process.link("ns/mnt"), let root = process.link("root") else {
            // A program that keeps its memory private shows its mounts all the same. Each mount has a number of its
            // own, so those of another view of the files are never the same.
            let own = try ObservedProcess.current().text(of: "mountinfo")
            guard try process.text(of: "mountinfo") == own else {
                return .identity(unknown("its root folder cannot be read"))
            }
            return .identity(outside())
        }
        let own = try ObservedProcess.current()
        return view == own.link("ns/mnt") && root == own.link("root") ? .identity(outside()) : .ownRoot
    }

    private func outside() -> ClientIdentity {
        program == Self.proxy ? unknown("\(Self.proxy) speaks for an app that it does not name") : client(.user)
    }

    private func client(_ kind: ClientIdentity.Kind) -> ClientIdentity {
        ClientIdentity(kind, process: process.id, program: program)
    }

    private func unknown(_ reason: String) -> ClientIdentity { client(.unknown(reason)) }
}
