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

    /// The folder of this process's executable, without symbolic links; `/` if the kernel does not tell.
    public static var executableFolder: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
        let bytes = buffer.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }
        let path = String(decoding: bytes, as: UTF8.self)
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    public static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}
