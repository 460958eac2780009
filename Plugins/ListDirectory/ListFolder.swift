// The lists in a folder.

import Glibc

/// A file that could not be read, and why.
struct ListFailure: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String { "\(path): \(reason)" }
}

struct ListFolder {
    let path: String

    private static let maximumFiles = 1_000

    /// Returns the absolute paths of the lists (`.txt` and `.csv`), in order, with their formats. Empty if the folder
    /// does not exist.
    var lists: [(path: String, format: ListFormat)] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < Self.maximumFiles, let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted().compactMap { name in
            guard !name.hasPrefix(".") else { return nil }
            let format: ListFormat? = name.hasSuffix(".txt") ? .text : name.hasSuffix(".csv") ? .csv : nil
            return format.map { ("\(path)/\(name)", $0) }
        }
    }

    /// Reads a list, one piece at a time.
    /// - Throws: `ListFailure`, which names the file and the line.
    static func read(_ path: String, _ format: ListFormat, _ body: @escaping (ListEntry) throws -> Void) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { throw ListFailure(path: path, reason: reason(errno)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ListFailure(path: path, reason: "not a regular file")
        }
        var parser = ListParser(format, body)
        var piece = [UInt8](repeating: 0, count: 65_536)
        do {
            while true {
                let count = Glibc.read(file, &piece, piece.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw ListFailure(path: path, reason: reason(errno)) }
                if count == 0 { break }
                try parser.parse(piece[..<count])
            }
            try parser.finish()
        } catch let complaint as ListComplaint {
            throw ListFailure(path: "\(path):\(complaint.line)", reason: complaint.text)
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
