// What can be wrong with a compiled directory.

internal import Glibc

public enum CompiledDirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A system call that failed, and its errno.
    case system(call: String, code: Int32)
    /// The file is not what its writer left.
    case damaged(String)

    static func last(_ call: String) -> CompiledDirectoryError { .system(call: call, code: errno) }

    /// Whether there is no file at all.
    public var isMissing: Bool {
        if case .system(_, ENOENT) = self { true } else { false }
    }

    public var description: String {
        switch self {
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)).lowercased())"
        case .damaged(let what): what
        }
    }
}
