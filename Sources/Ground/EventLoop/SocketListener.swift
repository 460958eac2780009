// SocketListener: a Unix socket that tells of visitors, and serves none.

internal import CSystem
internal import Glibc

/// Listens at a path until it is dropped, which removes the socket. Each connection is reported and closed.
@LoopActor
public final class SocketListener {
    private let path: String
    private let descriptor: Int32
    private var watch: FileWatch?
    private let visited: @LoopActor () -> Void

    /// Throws the failed call: the path is too long or taken, for instance.
    public init(_ path: String, visited: @escaping @LoopActor () -> Void) throws(SystemError) {
        self.path = path
        self.visited = visited
        descriptor = ock_listen(path)
        guard descriptor >= 0 else { throw SystemError(call: "listen \(path)", code: -descriptor) }
        watch = try FileWatch(descriptor, .readable) { [weak self] _ in self?.acceptAll() }
    }

    isolated deinit {
        watch?.cancel()
        if descriptor >= 0 {
            close(descriptor)
            unlink(path)
        }
    }

    private func acceptAll() {
        while case let visitor = accept(descriptor, nil, nil), visitor >= 0 {
            close(visitor)
            visited()
        }
    }
}
