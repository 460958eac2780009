// ContactFolders: notices what happens in folders of vCards, and that a missing one comes.

import EventLoop
import Files

/// Watches the folders that the last reading went through; for one that is not there, its parent.
@LoopActor
final class ContactFolders {
    /// A watch each takes one of the few that a user has.
    private static let maximum = 64

    private var watches: [String: DirectoryWatch] = [:]
    private var current: Set<String> = []
    /// Told of what has changed.
    var onChange: @LoopActor (String) -> Void = { _ in }

    /// A reading begins, of these folders.
    func begin(_ roots: [String]) {
        current = []
        for root in roots {
            // Also if it is there: it may be removed, and come back.
            guard let slash = root.lastIndex(of: "/"), slash != root.startIndex else { continue }
            _ = add(String(root[..<slash]), as: "\(root)/..") { path in path == root }
        }
    }

    /// Watches a folder before it is looked at.
    /// - Returns: whether what happens in it will be noticed.
    func add(_ folder: String) -> Bool {
        add(folder, as: folder) { path in
            let name = path.lowercased()
            return name.hasSuffix(".vcf") || name.hasSuffix(".vcard") || (try? FileStatus(path))?.kind != .regular
        }
    }

    /// The reading is over: what it did not go through is watched no more.
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
