// The lists in a folder.

import Glibc

/// What could not be read of a list: a line, or the whole file.
struct ListFailure: Error, CustomStringConvertible {
    let file: ListFile
    /// Nil for the whole file.
    let line: Int?
    let reason: String

    var description: String { text(file.path) }
    /// The text for the log, which everybody may read.
    var logged: String { text(file.plainName ?? "a list") }

    private func text(_ name: String) -> String {
        ([name] + (line.map { ["\($0)"] } ?? [])).joined(separator: ":") + ": \(reason)"
    }
}

/// A file with a list.
struct ListFile {
    let path: String
    let name: String
    let format: ListFormat

    /// - Returns: nil for a name that no list has.
    init?(_ name: String, in folder: String) {
        guard let dot = name.lastIndex(of: "."), name.first != "." else { return nil }
        switch name[dot...].dropFirst().lowercased() {
        case "txt": format = .text
        case "csv", "tsv": format = .csv
        case "json": format = .json
        case "xml", "plist": format = .xml
        case "vcf": format = .card
        default: return nil
        }
        (path, self.name) = ("\(folder)/\(name)", name)
    }

    /// Its name, unless it can be the name or the number of somebody: small letters, and at most three digits.
    fileprivate var plainName: String? {
        let isPlain = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x5F].contains($0)
        }
        return isPlain && name.count(where: \.isNumber) <= 3 ? name : nil
    }

    /// Whether its name says that what it has is blocked, with a label or without one.
    var blocksAll: Bool { ["block", "black", "spam"].contains { name.lowercased().contains($0) } }

    /// The country code of numbers that have none: `fritzbox.+49.csv`. Nil if its name has none.
    var countryCode: String? {
        name.split(separator: ".").first { $0.hasPrefix("+") }.map { String($0.dropFirst()) }
            .flatMap { (1...3).contains($0.count) && $0.first != "0" && $0.allSatisfy(\.isNumber) ? $0 : nil }
    }

    /// Reads the list, one piece at a time.
    /// - Parameter complain: gets what is left out.
    /// - Throws: the errors of `body`.
    func read(complain: @escaping (ListFailure) -> Void, _ body: @escaping (ListEntry) throws -> Void) throws {
        func fail(_ reason: String) { complain(ListFailure(file: self, line: nil, reason: reason)) }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return fail(Self.reason(errno)) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return fail("not a regular file") }
        var parser = parser(complain: complain, body)
        var decoder: ListDecoder?
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { fail(Self.reason(errno)) }
            if count <= 0 { break }
            var decoding = decoder ?? ListDecoder(piece[..<count])
            try parser.parse(decoding.decode(piece[..<count]))
            decoder = decoding
        }
        try parser.finish()
    }

    /// Parses bytes as those of this file.
    func parse(
        _ bytes: [UInt8], complain: @escaping (ListFailure) -> Void, _ body: @escaping (ListEntry) throws -> Void
    ) throws {
        var parser = parser(complain: complain, body)
        var decoder = ListDecoder(bytes)
        try parser.parse(decoder.decode(bytes))
        try parser.finish()
    }

    private func parser(
        complain: @escaping (ListFailure) -> Void, _ body: @escaping (ListEntry) throws -> Void
    ) -> any ListReader {
        let note: (ListComplaint) -> Void = { complain(ListFailure(file: self, line: $0.line, reason: $0.text)) }
        let pairs = ListPairs(countryCode: countryCode, complain: note, body)
        return switch format {
        case .text, .csv: ListParser(format, countryCode: countryCode, complain: note, body)
        case .json: PairReader(JSONScanner(), pairs)
        case .xml: PairReader(XMLScanner(), pairs)
        case .card: PairReader(CardScanner(), pairs)
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}

struct ListFolder {
    let path: String

    private static let maximumFiles = 1_000

    /// The lists, in order. Empty if the folder does not exist.
    var lists: [ListFile] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < Self.maximumFiles, let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted().compactMap { ListFile($0, in: path) }
    }
}
