// ProcessMeter: the memory, open files and session of a process, from /proc.

import Files
import Glibc

struct ProcessMeter {
    let pid: Int32

    /// The process's private memory, in bytes; nil if the kernel does not show it.
    var memory: Int? {
        let name = "Anonymous:"
        guard let line = text("smaps_rollup")?.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else {
            return nil
        }
        return line.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }.map { $0 * 1_024 }
    }

    /// The number of open files; nil if the kernel does not show it.
    var descriptors: Int? {
        try? FolderListing.names(in: "/proc/\(pid)/fd", limit: FolderListing.maximumEntries) { _ in true }.count
    }

    /// The living processes of the session that this process led.
    var session: [Int32] {
        let names = try? FolderListing.names(in: "/proc", limit: FolderListing.maximumEntries) { Int32($0) != nil }
        return (names ?? []).compactMap { Int32($0) }.filter { other in
            let fields = ProcessMeter(pid: other).fields
            return fields.count > 3 && fields[3] == "\(pid)" && fields[0] != "Z"
        }
    }

    func end() { Glibc.kill(pid, SIGKILL) }

    /// State, parent, group, session and further fields. The name before them is in parentheses and may contain any
    /// character.
    private var fields: [Substring] {
        guard let text = text("stat"), let end = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: end)...].split(separator: " ")
    }

    private func text(_ file: String) -> String? {
        guard let reader = try? FileReader("/proc/\(pid)/\(file)") else { return nil }
        return (try? reader.bytes(at: 0, count: 65_536)).map { String(decoding: $0, as: UTF8.self) }
    }
}
