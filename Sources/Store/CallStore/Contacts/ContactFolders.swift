// ContactFolders: watches folders of vCards, and waits for missing ones.

import EventLoop
import Files

/// Watches the folders of the last reading, and those above its roots.
@LoopActor
final class ContactFolders {
    /// The most watches: a user has few.
    private static let maximum = 64

    private var watches: [String: DirectoryWatch] = [:]
    private var current: Set<String> = []
    /// Called with the path that has changed.
    var onChange: @LoopActor (String) -> Void = { _ in }

    /// Begins a reading of these folders.
    func begin(_ roots: [String]) {
        current = []
        // An existing folder may be removed and made again.
        for root in roots { awaitFolder(root) }
    }

    /// Watches the parent of a folder for it, or the nearest one above that exists for the next one below.
    private func awaitFolder(_ folder: String) {
        guard let slash = folder.lastIndex(of: "/"), slash != folder.startIndex else { return }
        let parent = String(folder[..<slash])
        if !add(parent, as: "\(folder)/..", where: { $0 == folder }), watches.count < Self.maximum {
            awaitFolder(parent)
        }
    }

    /// Watches a folder; call this before the folder is listed.
    /// - Returns: whether the folder is watched.
    func add(_ folder: String) -> Bool {
        add(folder, as: folder) { path in
            let name = path.lowercased()
            return name.hasSuffix(".vcf") || name.hasSuffix(".vcard") || (try? FileStatus(path))?.kind != .regular
        }
    }

    /// Ends the reading, and stops to watch folders that it did not list.
    func end() {
        for folder in watches.keys where !current.contains(folder) { watches.removeValue(forKey: folder)?.cancel() }
    }

    func stop() {
        current = []
        end()
    }

    private func add(
        _ folder: String, as key: String, where isOfInterest: @escaping @LoopActor (String) -> Bool
    ) -> Bool {
        if watches[key] == nil {
            guard watches.count < Self.maximum else { return false }
            watches[key] = try? DirectoryWatch(folder) { [weak self] event, name in
                guard let self else { return }
                switch event {
                case .folderGone:
                    watches.removeValue(forKey: key)?.cancel()
                    onChange(folder)
                case .overflowed: onChange(folder)
                case .appeared, .modified, .vanished:
                    let path = "\(folder)/\(name)"
                    if isOfInterest(path) { onChange(path) }
                }
            }
        }
        guard watches[key] != nil else { return false }
        current.insert(key)
        return true
    }
}
