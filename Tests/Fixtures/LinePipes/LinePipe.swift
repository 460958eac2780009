// LinePipe: lines of text from one process to another, over a named pipe.

public import EventLoop
internal import Glibc

/// One named pipe that this process reads or writes. It stays open when the other side ends, for the next process
/// there.
@LoopActor
public final class LinePipe {
    private let descriptor: Int32
    private var watch: FileWatch?
    private var rest: [UInt8] = []

    /// Makes a named pipe.
    nonisolated public static func make(_ path: String) throws(SystemError) {
        if mkfifo(path, 0o600) != 0 { throw SystemError(call: "mkfifo \(path)", code: errno) }
    }

    /// Opens a named pipe: for reading with `onLine`, otherwise for writing.
    public init(_ path: String, onLine: (@LoopActor (String) -> Void)? = nil) throws(SystemError) {
        // Opened for both, so that neither opening nor reading depends on the other side.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        if descriptor < 0 { throw SystemError(call: "open \(path)", code: errno) }
        guard let onLine else { return }
        watch = try FileWatch(descriptor, .readable) { [weak self] _ in self?.read(onLine) }
    }

    isolated deinit {
        watch?.cancel()
        close(descriptor)
    }

    /// Sends one line. Throws if it does not fit into the pipe at once.
    public func send(_ line: String) throws(SystemError) {
        let bytes = Array((line + "\n").utf8)
        let count = write(descriptor, bytes, bytes.count)
        if count != bytes.count { throw SystemError(call: "write", code: count < 0 ? errno : EAGAIN) }
    }

    private func read(_ onLine: @LoopActor (String) -> Void) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return }
        rest += bytes.prefix(count)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest.removeSubrange(...end)
            onLine(line)
        }
    }
}
