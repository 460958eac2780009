// What the kernel gave this process: its environment and where its executable lies.

internal import Glibc

public enum ProcessEnvironment {
    /// The environment variables, as they are now.
    public static var current: [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let line = String(cString: text)
            if let sign = line.firstIndex(of: "=") {
                variables[String(line[..<sign])] = String(line[line.index(after: sign)...])
            }
            entry += 1
        }
        return variables
    }

    /// The arguments of the command line, without the program's name.
    ///
    /// Swift's library finds them next to the environment, and has none, not even the name, if a library that was loaded
    /// before has set a variable. The kernel has them still.
    ///
    /// - Throws: If the kernel does not tell them.
    public static var arguments: [String] {
        get throws(SystemError) {
            if !CommandLine.arguments.isEmpty { return Array(CommandLine.arguments.dropFirst()) }
            let path = "/proc/self/cmdline"
            let file = open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { throw SystemError(call: "open \(path)", code: errno) }
            defer { close(file) }
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(file, &buffer, buffer.count)
                guard count >= 0 else { throw SystemError(call: "read \(path)", code: errno) }
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
            // Each ends with a NUL.
            return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The folder of this process's executable, without symbolic links; `/` if the kernel does not tell.
    public static var executableFolder: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        let bytes = buffer.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Where a program lies: in a folder of the variable `PATH`, or in `/usr/bin`; nil if it is not installed.
    public static func path(of program: String, in environment: [String: String]) -> String? {
        let folders = (environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") } + ["/usr/bin"]
        return folders.map { "\($0)/\(program)" }.first(where: isExecutable)
    }

    public static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}
