// ListDirectory: a call directory made from the lists in a folder.

import Glibc
import OpenCallKit

/// Blocks and names the numbers in files (`*.txt`, `*.csv`, `*.json`, `*.xml`, `*.vcf`), in `lists` of the plugin's own folder and in
/// `opencallkit/lists` of the user's configuration and of the system's. The lists need not be sorted and may contain
/// duplicates. An invalid line is left out, with a complaint that names the file and the line; if all are invalid, the
/// load fails.
final class ListDirectory: CXCallDirectoryProvider {
    /// How many complaints are told in the log.
    private static let maximumTold = 100

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
        var contents = ListContents()
        var failures: [ListFailure] = []
        func complain(_ failure: ListFailure) {
            context.leaveOut(failure.description)
            guard failures.count < Self.maximumTold else { return }
            failures.append(failure)
            // What it prints is in the daemon's log.
            print("left out \(failure.logged)")
        }
        do {
            for list in folders.flatMap(\.lists) {
                try list.read(complain: complain) { contents.add($0, blocksAll: list.blocksAll) }
            }
        } catch {
            context.cancelRequest(withError: error)
            return
        }
        if contents.isEmpty, let first = failures.first {
            context.cancelRequest(withError: first)
            return
        }
        contents.blocked.sort()
        var last: Int64 = 0
        for number in contents.blocked where number != last {
            context.addBlockingEntry(withNextSequentialPhoneNumber: number)
            last = number
        }
        for range in contents.ranges { context.addBlockingRange(range) }
        add(contents.named.sorted { ($0.number, $0.label) < ($1.number, $1.label) }, to: context)
        context.completeRequest()
    }

    private func add(_ named: [ListContents.Named], to context: CXCallDirectoryExtensionContext) {
        var last: ListContents.Named?
        for entry in named where entry != last {
            context.addIdentificationEntry(withNextSequentialPhoneNumber: entry.number, label: entry.label)
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

/// Returns the digits of a number, without spaces and other signs between them.
func plainPhoneNumber(_ text: String) -> String { CXHandle.plainPhoneNumber(text) }

@c(opencallkit_directory_main)
public func directoryMain(_ link: CInt) -> CInt { DirectoryMain.run(link) { ListDirectory() } }
