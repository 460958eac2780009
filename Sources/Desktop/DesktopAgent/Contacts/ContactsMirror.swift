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

    /// In characters, without the hash.
    private static let longestName = 200

    /// A book with more contacts is large.
    private static let largeBook = 10_000

    private let folder: String

    /// - Returns: nil without a runtime directory.
    init?(environment: [String: String]) {
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return nil }
        folder = "\(runtime)/\(Self.name)"
    }

    /// Replaces the file of a book.
    /// - Returns: how many of the cards, from the first one on, fit into the file.
    func write(_ cards: some Collection<String>, of book: String) throws(SystemError) -> Int {
        var bytes: [UInt8] = []
        var count = 0
        for card in cards {
            let hasRoom = bytes.count < Self.maximumWithPictures && card.utf8.count <= Self.longestWithPicture
            let plain = Self.withoutMedia(card, exceptPicture: hasRoom)
            guard bytes.count + plain.utf8.count < Self.maximumBytes else { break }
            bytes += plain.utf8
            count += 1
        }
        try FileWriter.makeFolder(folder)
        let isLarge = count > Self.largeBook
        try FileWriter.replace(path(of: book, isLarge: isLarge), with: bytes)
        unlink(path(of: book, isLarge: !isLarge))
        return count
    }

    /// Removes the files of all other books.
    func keep(only books: Set<String>) {
        let kept = Set(books.flatMap { [Self.fileName(of: $0), Self.fileName(of: $0, isLarge: true)] })
        let names = (try? FolderListing.names(in: folder, limit: 1_000) { $0.hasSuffix(".vcf") }) ?? []
        for name in names where !kept.contains(name) { unlink("\(folder)/\(name)") }
    }

    private func path(of book: String, isLarge: Bool) -> String {
        "\(folder)/\(Self.fileName(of: book, isLarge: isLarge))"
    }

    /// The ids of books are texts of other programs: each byte that is not a letter or digit becomes its number.
    /// A long one ends with the hash of all of it (FNV-1a). A large book, such as a company's, has a file that sorts last:
    /// what is beyond the limits of callkit-store should not be the contacts of smaller ones.
    static func fileName(of book: String, isLarge: Bool = false) -> String {
        let start = isLarge ? "~" : ""

        let safe = book.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "_\(byte)_"
        }.joined()
        guard safe.utf8.count > longestName else { return "\(start)\(safe).vcf" }
        let hash = book.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(start)\(safe.prefix(longestName))-\(String(hash, radix: 16)).vcf"
    }

    /// Returns a card without its logo, sounds and keys, and without its picture unless that is kept: they would be most of
    /// the file.
    static func withoutMedia(_ card: String, exceptPicture keepsPicture: Bool) -> String {
        let left = ["LOGO", "SOUND", "KEY"] + (keepsPicture ? [] : ["PHOTO"])
        var kept: [UInt8] = []
        var isSkipping = false
        // Other line breaks are part of a text, and must not begin a property.
        for whole in [UInt8](card.utf8).split(separator: UInt8(ascii: "\n")) {
            let line = whole.last == UInt8(ascii: "\r") ? whole.dropLast() : whole
            // A line that begins with a space continues the one before it.
            guard let first = line.first else { continue }
            if first != UInt8(ascii: " "), first != UInt8(ascii: "\t") {
                isSkipping = name(of: line).map(left.contains) ?? false
            }
            if !isSkipping { kept += line + [UInt8(ascii: "\r"), UInt8(ascii: "\n")] }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Returns the name of a property, which may stand after a group, in capital letters.
    private static func name(of line: ArraySlice<UInt8>) -> String? {
        let start = line.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
        return start.split(separator: UInt8(ascii: ".")).last.map { String(decoding: $0, as: UTF8.self).uppercased() }
    }
}
