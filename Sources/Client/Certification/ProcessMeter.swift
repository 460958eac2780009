// ProcessMeter: the memory and open files of a process, from /proc.

import Files

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

    private func text(_ file: String) -> String? {
        guard let reader = try? FileReader("/proc/\(pid)/\(file)") else { return nil }
        return (try? reader.bytes(at: 0, count: 65_536)).map { String(decoding: $0, as: UTF8.self) }
    }
}
