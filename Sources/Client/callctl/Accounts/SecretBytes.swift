// SecretBytes: a secret on its way to the daemon.

import CallModel
import DBus
import EventLoop
import Glibc

/// The bytes of one secret, which are overwritten when it is dropped. They are never copied to a longer buffer.
@LoopActor
final class SecretBytes {
    /// Longer than what may be sent by a newline, and by a byte that is too much.
    private var bytes = [UInt8](repeating: 0, count: AccountField.maximumSecret + 2)
    private(set) var count = 0

    init() {}

    /// Reads a descriptor to its end. One newline at its end is left out.
    ///
    /// - Throws: `InvalidArguments` if it cannot be read, or has nothing or too much.
    init(readingAll descriptor: Int32, for key: String) throws(Failure) {
        do throws(SystemError) {
            while let byte = try InputByte.next(of: descriptor) {
                guard append(byte) else { break }
            }
        } catch {
            throw Self.invalid("the secret \(key.excerpt) cannot be read: \(error)")
        }
        guard count < bytes.count else { throw Self.tooLong(key) }
        if count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
        try check(for: key)
    }

    isolated deinit {
        ProcessMemory.erase(&bytes)
    }

    /// Returns false if there is no room for a byte.
    func append(_ byte: UInt8) -> Bool {
        guard count < bytes.count else { return false }
        bytes[count] = byte
        count += 1
        return true
    }

    /// Removes the last character.
    func removeLast() {
        while count > 0 {
            count -= 1
            let isContinuation = bytes[count] & 0xC0 == 0x80
            bytes[count] = 0
            if !isContinuation { return }
        }
    }

    func removeAll() {
        explicit_bzero(&bytes, bytes.count)
        count = 0
    }

    /// - Throws: `InvalidArguments` if it is empty or too long.
    func check(for key: String) throws(Failure) {
        guard count > 0 else { throw Self.invalid("the secret \(key.excerpt) is empty") }
        guard count <= AccountField.maximumSecret else { throw Self.tooLong(key) }
    }

    /// Returns the reading end of a pipe that has the secret.
    func pipe() throws(Failure) -> OwnedDescriptor {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw Self.failed("pipe") }
        let reading = OwnedDescriptor(owning: ends[0])
        defer { close(ends[1]) }
        // An empty pipe takes that much at once.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        guard write(ends[1], bytes, count) == count else { throw Self.failed("write") }
        return reading
    }

    private static func tooLong(_ key: String) -> Failure {
        invalid("the secret \(key.excerpt) is longer than \(AccountField.maximumSecret) bytes")
    }

    private static func failed(_ call: String) -> Failure {
        Failure(.refused, "the secret cannot be sent: \(SystemError(call: call, code: errno))")
    }

    private static func invalid(_ message: String) -> Failure { Failure(CallError(.invalidArguments, message)) }
}

/// Reads bytes one by one, so that no buffer keeps a secret.
enum InputByte {
    /// Waits for the next byte; nil at the end.
    static func next(of descriptor: Int32) throws(SystemError) -> UInt8? {
        var byte = [UInt8](repeating: 0, count: 1)
        defer { explicit_bzero(&byte, 1) }
        while true {
            let size = read(descriptor, &byte, 1)
            if size >= 0 { return size == 0 ? nil : byte[0] }
            let code = errno
            guard code == EAGAIN || code == EINTR else { throw SystemError(call: "read", code: code) }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            poll(&wanted, 1, -1)
        }
    }
}
