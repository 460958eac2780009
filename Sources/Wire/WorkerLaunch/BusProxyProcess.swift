// BusProxyProcess: one process of xdg-dbus-proxy, through which a plugin calls some services of a bus.

public import EventLoop
internal import Files
internal import Glibc

/// Runs xdg-dbus-proxy with a socket in a folder of its own. The process ends with this object, and with this process.
/// The folder stays, so that the next proxy can listen at the same address.
@LoopActor
public final class BusProxyProcess {
    /// The name of its socket.
    public nonisolated static let socketName = "bus"
    /// The longest path of a socket, in bytes.
    private nonisolated static let longestPath = 107
    /// What the process may have open: two files for each connection, since a bus takes only so many of a user.
    private nonisolated static let openFiles: UInt64 = 64
    /// The memory of the process, which keeps what a plugin does not read, in bytes.
    private nonisolated static let memory: UInt64 = 64 << 20
    private nonisolated static let program = "xdg-dbus-proxy"

    /// Where plugins connect.
    public let socket: SandboxSocket
    /// The process id.
    public let pid: Int32
    /// What the process watches.
    private let pipe: ReadinessPipe

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - address: The address of the bus.
    ///   - services: The well-known names of the services that can be talked to.
    ///   - folder: The folder of the socket, which is made.
    ///   - environment: Where the program is looked for.
    ///   - onReady: Called once, when plugins can connect.
    ///   - onExit: Called once, when the process has ended.
    /// - Throws: If the folder cannot be made or the program cannot be started; `start` with `ENOENT` if it is not
    ///   installed.
    public init(
        to address: String, services: [String], in folder: String, environment: [String: String],
        onReady: @escaping @LoopActor () -> Void, onExit: @escaping @LoopActor (ExitStatus) -> Void
    ) throws(SystemError) {
        socket = SandboxSocket(folder: folder, name: Self.socketName)
        guard socket.path.utf8.count <= Self.longestPath else {
            throw SystemError(call: "bind \(socket.path)", code: ENAMETOOLONG)
        }
        guard let program = Self.path(in: environment) else {
            throw SystemError(call: "start \(Self.program)", code: ENOENT)
        }
        try FileWriter.makePrivateFolder(folder)
        pipe = try ReadinessPipe(onReady: onReady)
        let process = try ChildProcess.spawn(
            program, ["--fd=3", address, socket.path, "--filter"] + services.map { "--talk=\($0)" }, environment: [:],
            descriptors: [3: pipe.writingEnd]
        ) { status in onExit(status) }
        pid = process.pid
        // No plugin can connect yet.
        try process.limit(openFiles: Self.openFiles, memory: Self.memory)
        pipe.closeWritingEnd()
    }

    /// Where the program lies; nil if it is not installed.
    public nonisolated static func path(in environment: [String: String]) -> String? {
        ProcessEnvironment.path(of: program, in: environment)
    }
}
