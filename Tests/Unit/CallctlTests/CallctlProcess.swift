// The binary itself, run by a test.

import DBus
import EventLoop
import Glibc
import TestSupport

/// A running callctl, its output line by line.
@LoopActor
final class CallctlProcess {
    let lines = Inbox<String>()
    private let child: ChildProcess
    /// Kept until its last user has gone.
    private let bus: PrivateBus
    private let exits: Inbox<ExitStatus>
    private let out: Pipe
    private let errors: Pipe

    init(_ arguments: [String], on bus: PrivateBus, environment: [String: String] = [:]) throws {
        let (out, errors, exits) = (try Pipe(), try Pipe(), Inbox<ExitStatus>())
        var variables = ["DBUS_SESSION_BUS_ADDRESS": bus.address, "TZ": "UTC"]
        variables.merge(environment) { _, new in new }
        child = try ChildProcess.spawn(
            try Self.binary(), arguments, environment: variables,
            descriptors: [1: out.writingEnd, 2: errors.writingEnd], onExit: { exits.put($0) })
        (self.out, self.errors, self.exits, self.bus) = (out, errors, exits, bus)
        let lines = lines
        try out.read { lines.put($0) }
        try errors.read { _ in }
    }

    isolated deinit {
        _ = child.kill(SIGKILL)
    }

    func kill(_ signal: Int32) { _ = child.kill(signal) }

    /// Closes the reading end of its output.
    func stopReading() { out.close() }

    /// Waits for its end without reading its output.
    func exitCode() async throws -> Int32? {
        guard case .exited(let code) = try await exits.next() else { return nil }
        return code
    }

    /// Waits for its end: exit code, stdout and stderr.
    func result() async throws -> (code: Int32?, out: String, errors: String) {
        let code = try await exitCode()
        try await out.ended.next()
        try await errors.ended.next()
        return (code, out.text, errors.text)
    }

    /// The binary lies beside the test's own.
    private static func binary() throws -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw SystemError(call: "readlink", code: errno) }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
            + "/callctl"
    }
}

/// A pipe of which the test reads one end.
@LoopActor
private final class Pipe {
    let writingEnd: Int32
    let ended = Inbox<Void>()
    private(set) var text = ""
    private var rest: [UInt8] = []
    private var readingEnd: Int32
    private var watch: FileWatch?

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: errno) }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(readingEnd, F_SETFL, O_NONBLOCK)
    }

    isolated deinit {
        close()
    }

    func read(line: @escaping @LoopActor (String) -> Void) throws {
        Glibc.close(writingEnd)
        watch = try FileWatch(readingEnd, .readable) { [weak self] _ in self?.drain(line) }
    }

    func close() {
        watch?.cancel()
        watch = nil
        if readingEnd >= 0 { Glibc.close(readingEnd) }
        readingEnd = -1
    }

    private func drain(_ line: @LoopActor (String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while readingEnd >= 0 {
            let count = Glibc.read(readingEnd, &buffer, buffer.count)
            if count < 0 { return }
            if count == 0 {
                close()
                ended.put(())
                return
            }
            text += String(decoding: buffer[..<count], as: UTF8.self)
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeFirst(end + 1)
            }
        }
    }
}
