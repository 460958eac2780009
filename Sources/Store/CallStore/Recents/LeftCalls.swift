// LeftCalls: the calls of a session in which another session of the same user has the recents.

internal import CallModel
internal import EventLoop
internal import Files
internal import Glibc
internal import Numbers
internal import SQLite

/// Keeps the records that cannot be written to the recents in a file of this process, in the folder `sessions`. Once that
/// process has ended, or has the recents, the store that has the recents takes them in.
///
/// All members may block: call them on the queue of `Storage` only.
final class LeftCalls: Sendable {
    /// A file of a process that has ended, which nobody else opens as long as this is there.
    struct Found: Sendable {
        fileprivate let file: DatabaseFile
        let rows: [RecentRow]
    }

    static let folderName = "sessions"
    /// The most processes whose calls are taken in at a time.
    private static let most = 64

    private let folder: String
    private let own: DatabaseFile

    /// - Parameter folder: the folder of the recents.
    init(of folder: String) {
        self.folder = "\(folder)/\(Self.folderName)"
        own = DatabaseFile(folder: "\(self.folder)/\(getpid())-\(MonotonicTime.now.nanoseconds)")
    }

    /// Writes records to the file of this process.
    func keep(_ records: [(record: CallRecord, normalized: String)]) throws(StorageFailure) {
        try own.write { database in
            for (record, normalized) in records {
                _ = try RecentTable.record(record, normalized: normalized, database)
            }
        }
    }

    /// Removes the file of this process: its calls are in the recents.
    func forgetOwn() { Self.remove(own) }

    /// Returns the files of processes that have ended, and whether there are others.
    func find() -> (found: [Found], isMore: Bool) {
        let names = (try? FolderListing.names(in: folder, limit: Self.most) { _ in true }) ?? []
        let others = names.map { "\(folder)/\($0)" }.filter { $0 != own.folder }
        let found: [Found] = others.compactMap { path in
            let file = DatabaseFile(folder: path)
            let rows = try? file.write { database in
                try RecentTable.closeInterrupted(database)
                return try RecentRow.fetchAll(database, RecentRow.selection + " ORDER BY recent.id")
            }
            return rows.map { Found(file: file, rows: $0) }
        }
        return (found, found.count < others.count)
    }

    /// Writes what was found to the recents.
    ///
    /// - Returns: the ids of the rows.
    static func takeIn(_ found: [Found], _ plan: NumberPlan, _ database: Database) throws -> [Int64] {
        try found.flatMap(\.rows).map { row in
            let id = try RecentTable.record(
                row.record, normalized: row.record.handle.map(plan.normalized) ?? "", database)
            if row.isRead { _ = try RecentTable.markRead([id], database) }
            return id
        }
    }

    static func remove(_ found: [Found]) { for one in found { remove(one.file) } }

    private static func remove(_ file: DatabaseFile) {
        file.close()
        let names = (try? FolderListing.names(in: file.folder, limit: 1_000) { _ in true }) ?? []
        for name in names { unlink("\(file.folder)/\(name)") }
        rmdir(file.folder)
    }
}
