// KeptFile: a small file that one program reads when it begins, and replaces when something in it changes.

public import EventLoop
internal import Glibc

/// A file that is never taken for an empty one: what cannot be read is not replaced, and what is damaged is set aside
/// before it is replaced.
public struct KeptFile: Sendable {
    public let path: String
    /// The most bytes; a larger file counts as one that cannot be read.
    private let longest: Int
    /// Why the file cannot be read; nil if it can, or if there is none.
    public private(set) var obstacle: SystemError?
    /// Whether it has something that cannot be understood.
    public private(set) var isDamaged = false
    /// Where it was set aside; nil if it was not.
    public private(set) var copy: String?

    /// The most copies of damaged files; the last one is replaced.
    private static let maximumCopies = 9

    public init(_ path: String, longest: Int) {
        (self.path, self.longest) = (path, longest)
    }

    /// Reads the whole file; returns nil if there is none. A symbolic link that leads nowhere is no missing file.
    ///
    /// - Throws: the failed call; `read` with `EFBIG` for a file that is too large.
    public mutating func read() throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let file = try FileReader(path)
            isDamaged = false
            guard file.status.size <= UInt64(longest) else { throw SystemError(call: "read", code: EFBIG) }
            return try file.bytes(at: 0, count: Int(file.status.size))
        } catch {
            if isMissing { return nil }
            obstacle = error
            throw error
        }
    }

    /// Notes that the file has something that cannot be understood.
    public mutating func noteDamage() { isDamaged = true }

    /// Replaces the file, durably.
    ///
    /// - Throws: the failed call, with which nothing has changed; `obstacle` if the file is there and could not be read.
    public mutating func replace(with bytes: [UInt8]) throws(SystemError) {
        if let obstacle, !isMissing { throw obstacle }
        try FileWriter.makeFolder(path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ".")
        let copy = isDamaged ? freeName : nil
        try FileWriter.replace(path, with: bytes, durably: true, keepingAs: copy)
        obstacle = nil
        if copy != nil { (isDamaged, self.copy) = (false, copy) }
    }

    /// Removes the file; one that is damaged gets the name of a copy.
    ///
    /// - Throws: the failed call; `obstacle` if the file is there and could not be read.
    public mutating func remove() throws(SystemError) {
        if isMissing { return }
        if let obstacle { throw obstacle }
        guard isDamaged else { return try FileWriter.remove(path) }
        let copy = freeName
        try FileWriter.rename(path, to: copy)
        (isDamaged, self.copy) = (false, copy)
    }

    /// Whether there is nothing at the path.
    private var isMissing: Bool {
        do throws(SystemError) {
            _ = try FileStatus(path, followingLinks: false)
            return false
        } catch {
            return error.code == ENOENT || error.code == ENOTDIR
        }
    }

    /// The first name for a copy that no earlier copy has.
    private var freeName: String {
        let names = (1...Self.maximumCopies).map { $0 == 1 ? "\(path).damaged" : "\(path).damaged-\($0)" }
        return names.first { (try? FileStatus($0, followingLinks: false)) == nil } ?? names[names.count - 1]
    }
}
