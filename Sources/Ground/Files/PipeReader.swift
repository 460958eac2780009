// PipeReader: reads what somebody else writes to a pipe, to its end.

public import EventLoop
internal import Glibc

/// Reads a pipe that another process handed over, without ever waiting for it. Calls `then` once with all bytes, or with the
/// reason why they cannot be had. Dropping the reader ends the reading.
@LoopActor
public final class PipeReader {
    public enum Failure: Error, Sendable {
        /// The descriptor is not the reading end of a pipe.
        case notAPipe
        /// More bytes came than are accepted.
        case tooLong
        /// The pipe had no end within the time.
        case tooLate
    }

    private let descriptor: Int32
    private let maximum: Int
    private let then: @LoopActor (Result<[UInt8], Failure>) -> Void
    private var bytes: [UInt8] = []
    private var watch: FileWatch?
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - pipe: stays the caller's; it is opened again, so that its flags do not matter.
    ///   - maximum: the most bytes that are accepted.
    /// - Throws: `notAPipe`.
    public init(
        _ pipe: Int32, maximum: Int, timeout: Duration,
        then: @escaping @LoopActor (Result<[UInt8], Failure>) -> Void
    ) throws(Failure) {
        var status = stat()
        guard fstat(pipe, &status) == 0, status.st_mode & S_IFMT == S_IFIFO,
            fcntl(pipe, F_GETFL) & O_ACCMODE != O_WRONLY
        else { throw .notAPipe }
        descriptor = open("/proc/self/fd/\(pipe)", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .notAPipe }
        self.maximum = maximum
        self.then = then
        do throws(SystemError) {
            watch = try FileWatch(descriptor, .readable) { [weak self] _ in self?.readPortion() }
        } catch {
            close(descriptor)
            throw .notAPipe
        }
        timer = LoopTimer(after: timeout) { [weak self] in self?.end(.failure(.tooLate)) }
    }

    isolated deinit {
        watch?.cancel()
        close(descriptor)
    }

    private func readPortion() {
        var portion = [UInt8](repeating: 0, count: maximum + 1)
        let count = read(descriptor, &portion, portion.count)
        if count < 0 {
            if errno != EAGAIN, errno != EINTR { end(.failure(.notAPipe)) }
            return
        }
        if count == 0 { return end(.success(bytes)) }
        bytes += portion[..<count]
        if bytes.count > maximum { end(.failure(.tooLong)) }
    }

    private func end(_ result: Result<[UInt8], Failure>) {
        guard watch != nil else { return }
        watch?.cancel()
        watch = nil
        timer = nil
        bytes = []
        then(result)
    }
}
