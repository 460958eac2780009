// SystemError: a failed system call.

internal import Glibc

/// A system call that failed, and why.
public struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call, such as `epoll_ctl`.
    public let call: String
    /// The `errno` it left.
    public let code: Int32
    /// Why it failed, where the system has no words for it.
    private let reason: String?

    public init(call: String, code: Int32) {
        (self.call, self.code, reason) = (call, code, nil)
    }

    private init(call: String, code: Int32, reason: String) {
        (self.call, self.code, self.reason) = (call, code, reason)
    }

    /// The error that a folder, FIFO, socket or device was found where a file is expected; its code is `EINVAL`.
    public static func notRegular(_ call: String = "open") -> SystemError {
        SystemError(call: call, code: EINVAL, reason: "not a regular file")
    }

    /// The error that `call`, which has just failed, left in `errno`.
    package static func last(_ call: String) -> SystemError { SystemError(call: call, code: errno) }

    /// Whether the file does not exist.
    public var isMissing: Bool { code == ENOENT }

    /// Whether the process or the system has no descriptors or no memory left, which may pass.
    public var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, EAGAIN, ENOBUFS].contains(code) }

    public var description: String { "\(call): \(reason ?? String(cString: strerror(code)).lowercased())" }
}
