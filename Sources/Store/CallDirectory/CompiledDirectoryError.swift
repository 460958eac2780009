// CompiledDirectoryError: what can be wrong with a compiled directory.

internal import Glibc

public enum CompiledDirectoryError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A system call that failed, and its errno.
    case system(call: String, code: Int32)
    /// The file is not as it was written.
    case damaged(String)

    static func last(_ call: String) -> CompiledDirectoryError { .system(call: call, code: errno) }

    /// Whether the file is missing.
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
