// ListDirectory: a call directory made from the lists in a folder.

import Glibc
import OpenCallKit

/// Blocks and names the numbers in `*.txt` and `*.csv` files, in `lists` of the plugin's own folder and in
/// `opencallkit/lists` of the user's configuration and of the system's. The lists need not be sorted and may contain
/// duplicates. An invalid line fails the load; the report names the file and the line.
final class ListDirectory: CXCallDirectoryProvider {
    private let folders: [ListFolder]

    override convenience init() {
        // In the sandbox, the user's configuration is the first of XDG_CONFIG_DIRS, and XDG_CONFIG_HOME the plugin's
        // own.
        let home = Self.path("XDG_CONFIG_HOME") ?? Self.path("HOME").map { $0 + "/.config" }
        let others = Self.paths("XDG_CONFIG_DIRS")
        let own = PluginMain.resourceDirectory
        let paths =
            [own.isEmpty ? nil : own + "/lists"] + ([home] + others).map { $0.map { $0 + "/opencallkit/lists" } }
        self.init(paths.compactMap { $0 })
    }

    init(_ folders: [String]) { self.folders = folders.map(ListFolder.init(path:)) }

    override func beginRequest(with context: CXCallDirectoryExtensionContext) {
        var blocked: [Int64] = []
        var named: [ListEntry] = []
        do {
            for list in folders.flatMap(\.lists) {
                try ListFolder.read(list.path, list.format) { entry in
                    if entry.label == nil { blocked.append(entry.number) } else { named.append(entry) }
                }
            }
        } catch {
            context.cancelRequest(withError: error)
            return
        }
        blocked.sort()
        var last: Int64 = 0
        for number in blocked where number != last {
            context.addBlockingEntry(withNextSequentialPhoneNumber: number)
            last = number
        }
        add(named.sorted(), to: context)
        context.completeRequest()
    }

    private func add(_ named: [ListEntry], to context: CXCallDirectoryExtensionContext) {
        var last: ListEntry?
        for entry in named where entry != last {
            context.addIdentificationEntry(withNextSequentialPhoneNumber: entry.number, label: entry.label ?? "")
            last = entry
        }
    }

    /// Returns the absolute paths in a variable of the environment.
    private static func paths(_ name: String) -> [String] {
        guard let value = getenv(name) else { return [] }
        return String(cString: value).split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    }

    private static func path(_ name: String) -> String? { paths(name).first }
}

@c(opencallkit_directory_main)
public func directoryMain(_ link: CInt) -> CInt { DirectoryMain.run(link) { ListDirectory() } }
