// CopiesAside: the damaged files that were set aside.

internal import EventLoop
internal import Files
internal import Glibc

/// Sets files aside, as `NAME.corrupt-DATE` with the endings of the originals. They may have what the user deleted
/// later, so only the latest copy stays, for a limited time.
final class CopiesAside: Sendable {
    /// How long a copy is kept.
    static let days = 30
    private static let mark = ".corrupt-"

    private let name: String
    private let folder: String

    /// - Parameter name: of the file whose copies these are.
    init(of name: String, in folder: String) {
        (self.name, self.folder) = (name, folder)
    }

    /// Renames files whose names begin with `name`, in this order, and removes earlier copies.
    ///
    /// - Returns: the new name of the last one.
    func move(_ files: [String]) throws(StorageFailure) -> String {
        let earlier = all
        let date = Self.date(Glibc.time(nil))
        var copy = name + Self.mark + date
        var count = 1
        while earlier.contains(where: { $0.hasPrefix(copy) }) {
            count += 1
            copy = "\(name)\(Self.mark)\(date)-\(count)"
        }
        for file in files {
            let target = copy + file.dropFirst(name.count)
            guard rename("\(folder)/\(file)", "\(folder)/\(target)") == 0 || errno == ENOENT else {
                throw StorageFailure(SystemError(call: "rename \(folder)/\(file)", code: errno))
            }
        }
        remove(earlier)
        return copy
    }

    func removeAll() { remove(all) }

    /// - Parameter today: the days since the epoch.
    func removeOld(on today: Int64) {
        let oldest = Self.date(Glibc.time_t(today - Int64(Self.days)) * 86_400)
        remove(all.filter { $0.dropFirst(name.count + Self.mark.count) < oldest })
    }

    private var all: [String] {
        let names = try? FolderListing.names(in: folder, limit: 1_000) { $0.hasPrefix(name + Self.mark) }
        return names ?? []
    }

    /// A folder with something in it stays: the store has not made it.
    private func remove(_ names: [String]) {
        for name in names where unlink("\(folder)/\(name)") != 0 { rmdir("\(folder)/\(name)") }
    }

    /// `YYYYMMDD-HHMMSS`, in UTC.
    private static func date(_ moment: time_t) -> String {
        var time = moment
        var calendar = tm()
        gmtime_r(&time, &calendar)
        var buffer = [CChar](repeating: 0, count: 32)
        let length = strftime(&buffer, buffer.count, "%Y%m%d-%H%M%S", &calendar)
        return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
