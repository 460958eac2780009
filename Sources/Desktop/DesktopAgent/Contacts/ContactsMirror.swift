// ContactsMirror: the folder with copies of the address books that are no files.

import EventLoop
import Files
import Glibc

/// A folder in the runtime directory, with a file of vCards for each address book. callkit-store reads it like any folder
/// of vCards, in its confined process: here they are only bytes.
struct ContactsMirror: Sendable {
    /// The folder below `XDG_RUNTIME_DIR`, which callkit-store knows.
    static let name = "opencallkit/contacts"
    /// The most bytes of a file that is read.
    static let maximumBytes = 32 << 20
    /// The most bytes of a file after which cards are written without pictures.
    private static let maximumWithPictures = 16 << 20
    /// The most bytes of a card with its picture. evolution-data-server keeps pictures in files, which cards only name.
    private static let longestWithPicture = 256 << 10

    private let folder: String

    /// - Returns: nil without a runtime directory.
    init?(environment: [String: String]) {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return nil }
        folder = "\(runtime)/\(Self.name)"
    }

    /// Replaces the file of a book.
    func write(_ cards: [String], of book: String) throws(SystemError) {
        var bytes: [UInt8] = []
        for card in cards {
            let hasRoom = bytes.count < Self.maximumWithPictures && card.utf8.count <= Self.longestWithPicture
            let plain = Self.withoutMedia(card, exceptPicture: hasRoom)
            guard bytes.count + plain.utf8.count < Self.maximumBytes else { break }
            bytes += plain.utf8
        }
        try FileWriter.makeFolder(folder)
        try FileWriter.replace(path(of: book), with: bytes)
    }

    func remove(_ book: String) { unlink(path(of: book)) }

    /// Removes the files of all other books.
    func keep(only books: Set<String>) {
        let kept = Set(books.map { Self.fileName(of: $0) })
        let names = (try? FolderListing.names(in: folder, limit: 1_000) { $0.hasSuffix(".vcf") }) ?? []
        for name in names where !kept.contains(name) { unlink("\(folder)/\(name)") }
    }

    private func path(of book: String) -> String { "\(folder)/\(Self.fileName(of: book))" }

    /// The ids of books are texts of other programs: each byte that is not a letter or digit becomes its number.
    private static func fileName(of book: String) -> String {
        let safe = book.utf8.prefix(64).map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "_\(byte)_"
        }
        return safe.joined() + ".vcf"
    }

    /// Returns a card without its logo, sounds and keys, and without its picture unless that is kept: they would be most of
    /// the file.
    static func withoutMedia(_ card: String, exceptPicture keepsPicture: Bool) -> String {
        let left = ["LOGO", "SOUND", "KEY"] + (keepsPicture ? [] : ["PHOTO"])
        var text = ""
        var isSkipping = false
        // Other line breaks are part of a text, and must not begin a property. A CR LF is one character.
        for line in card.split(omittingEmptySubsequences: true, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
            // A line that begins with a space continues the one before it.
            if line.first != " ", line.first != "\t" {
                let name = line.prefix { $0 != ":" && $0 != ";" }.split(separator: ".").last.map { $0.uppercased() }
                isSkipping = name.map(left.contains) ?? false
            }
            if !isSkipping { text += line + "\r\n" }
        }
        return text
    }
}
