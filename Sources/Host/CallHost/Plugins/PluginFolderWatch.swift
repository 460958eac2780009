// PluginFolderWatch: when the folders of plugins are looked at again.

import EventLoop
import Files
import Logging

@LoopActor
final class PluginFolderWatch {
    private struct Watched {
        let watch: DirectoryWatch
        /// The only entries that matter here; nil = all do.
        var awaited: Set<String>?
    }

    private let folders: [String]
    private let log: Logger
    private let onChange: @LoopActor () -> Void
    private var watched: [String: Watched] = [:]
    private var unwatched: Set<String> = []

    /// The kernel gives a user 128 watches as a rule, for all programs together.
    private static let maximumBundles = 32

    init(_ folders: [String], log: Logger, onChange: @escaping @LoopActor () -> Void) {
        self.folders = folders.compactMap { folder in
            if folder.hasPrefix("/") { return folder }
            return (try? FileStatus.resolve(".")).map { "\($0)/\(folder)" }
        }
        self.log = log
        self.onChange = onChange
    }

    /// Watches the folders, and in place of one that is missing the nearest above it that exists, and the first 32 of
    /// these plugins that are bundles. Nothing else is watched from now on.
    /// - Returns: whether something is watched that was not before, and may have changed unseen.
    func watch(_ plugins: [String]) -> Bool {
        let before = watched
        watched = [:]
        for folder in folders { watchNearest(folder, before) }
        for bundle in plugins.filter(Self.isFolder).prefix(Self.maximumBundles) { add(bundle, nil, before) }
        return watched.keys.contains { before[$0] == nil }
    }

    func cancel() { watched = [:] }

    private func watchNearest(_ folder: String, _ before: [String: Watched]) {
        var path = folder[...]
        var awaited: Set<String>?
        while !Self.isFolder(String(path)), let slash = path.lastIndex(of: "/"), path != "/" {
            awaited = [String(path[path.index(after: slash)...])]
            path = slash == path.startIndex ? "/" : path[..<slash]
        }
        add(String(path), awaited, before)
    }

    private func add(_ path: String, _ awaited: Set<String>?, _ before: [String: Watched]) {
        if let known = watched[path] {
            watched[path]?.awaited = if let old = known.awaited, let awaited { old.union(awaited) } else { nil }
        } else if let known = before[path] {
            watched[path] = Watched(watch: known.watch, awaited: awaited)
        } else {
            do throws(SystemError) {
                let watch = try DirectoryWatch(path) { [weak self] event, name in self?.heard(event, name, in: path) }
                watched[path] = Watched(watch: watch, awaited: awaited)
                unwatched.remove(path)
            } catch {
                if unwatched.insert(path).inserted { log.warning("changes in \(path) go unnoticed: \(error)") }
            }
        }
    }

    private func heard(_ event: DirectoryEvent, _ name: String, in path: String) {
        if event == .folderGone { watched[path] = nil }
        if let awaited = watched[path]?.awaited, event != .overflowed, !awaited.contains(name) { return }
        onChange()
    }

    private static func isFolder(_ path: String) -> Bool { (try? FileStatus(path))?.kind == .folder }
}

@LoopActor
final class PluginRetries {
    /// The pauses between two attempts; the last one repeats.
    private static let pauses = [1, 2, 5, 10, 30].map { Duration.seconds($0) }

    private let log: Logger
    private let retry: @LoopActor () -> Void
    private var timer: LoopTimer?
    private var attempts = 0
    /// The folders that could not be read the last time.
    private var unread: [String: SystemError] = [:]

    init(log: Logger, retry: @escaping @LoopActor () -> Void) {
        self.log = log
        self.retry = retry
    }

    /// Takes in which folders a scan could not read, and whether it is to be repeated.
    func note(_ unread: [String: SystemError], isIncomplete: Bool) {
        for (folder, error) in unread where self.unread[folder] != error {
            log.warning(
                "plugin folder \(folder) could not be read: \(error); its plugins stay as they are, and it is read again"
            )
        }
        for folder in self.unread.keys where unread[folder] == nil {
            log.warning("plugin folder \(folder) is read again, or is gone")
        }
        self.unread = unread
        if isIncomplete { begin() } else if timer == nil { attempts = 0 }
    }

    /// Tries again after a pause, which grows as long as it is in vain.
    func begin() {
        guard timer == nil else { return }
        let pause = Self.pauses[min(attempts, Self.pauses.count - 1)]
        attempts += 1
        timer = LoopTimer(after: pause) { [weak self] in
            self?.timer = nil
            self?.retry()
        }
    }

    func cancel() { timer = nil }
}
