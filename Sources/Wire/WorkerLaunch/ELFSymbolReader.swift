// Finds out whether a plugin exports a symbol, without loading it.

/// Looks a name up in the hash table of a 64-bit ELF shared object, as the dynamic linker does. It believes nothing
/// that the file says about itself, reads less than 80 KiB of any file and always comes to an end.
struct ELFSymbolReader {
    /// Gives up to so many bytes from this offset on; fewer where the file ends.
    typealias Source = ELFNoteReader.Source

    private static let maximumDynamicBytes: UInt64 = 16 * 1024
    /// No chain of symbols with equal hashes is longer in a file that was not made to be.
    private static let maximumChain = 1_024
    /// The longest run path and the longest name of a library, in bytes.
    private static let maximumText = 1_024
    /// No more of the libraries that a file needs are looked at.
    private static let maximumNeeded = 256

    private let source: Source
    private let segments: [ELFSegment]
    private let hashTable: UInt64
    private let symbolTable: UInt64
    private let names: UInt64
    /// Where in the names the folders stand in which the library's own libraries are looked for.
    private let runPathOffset: UInt64?
    /// Where in the names those of the libraries stand that it needs.
    private let neededOffsets: [UInt64]

    /// - Returns: nil if the file has no table of symbols that is understood here.
    init?(source: @escaping Source) throws(PluginFileError) {
        self.source = source
        let header = try ELFHeader(source(0, ELFHeader.size))
        let size = header.segmentCount * ELFSegment.size
        let table = try source(header.segmentOffset, size)
        guard table.count == size else { return nil }
        segments = (0..<header.segmentCount).map { index in
            ELFSegment(Array(table[(index * ELFSegment.size)..<((index + 1) * ELFSegment.size)]))
        }
        guard let dynamic = segments.first(where: \.isDynamic) else { return nil }
        let length = min(dynamic.length, Self.maximumDynamicBytes)
        let entries = ELFFields(bytes: try source(dynamic.offset, Int(length)))
        var addresses: [UInt64: UInt64] = [:]
        var needed: [UInt64] = []
        for offset in stride(from: 0, to: entries.bytes.count - 15, by: 16) {
            let tag = entries.number(UInt64.self, at: offset)
            if tag == 0 { break }
            addresses[tag] = entries.number(UInt64.self, at: offset + 8)
            // DT_NEEDED
            if tag == 1, needed.count < Self.maximumNeeded {
                needed.append(entries.number(UInt64.self, at: offset + 8))
            }
        }
        // DT_GNU_HASH, DT_SYMTAB, DT_STRTAB
        guard let hashTable = addresses[0x6FFF_FEF5], let symbolTable = addresses[6], let names = addresses[5] else {
            return nil
        }
        self.hashTable = hashTable
        self.symbolTable = symbolTable
        self.names = names
        // DT_RUNPATH, or DT_RPATH of older linkers
        runPathOffset = addresses[29] ?? addresses[15]
        neededOffsets = needed
    }

    /// Whether the file is linked to a library, such as `libswiftCore.so`.
    func needs(_ library: String) throws(PluginFileError) -> Bool {
        for offset in neededOffsets where try text(offset) == library { return true }
        return false
    }

    /// The folders in which the library's own libraries are looked for, with colons between them; empty if there are
    /// none. What is not UTF-8 is not told.
    func runPath() throws(PluginFileError) -> String {
        try runPathOffset.map { offset throws(PluginFileError) in try text(offset) } ?? ""
    }

    /// One of the names; empty if it is too long, or not UTF-8.
    private func text(_ offset: UInt64) throws(PluginFileError) -> String {
        let (start, overflow) = names.addingReportingOverflow(offset)
        guard !overflow else { return "" }
        var text: [UInt8] = []
        while text.count < Self.maximumText {
            guard let byte = try read(start &+ UInt64(text.count), 1).first else { return "" }
            if byte == 0 { return String(validating: text, as: UTF8.self) ?? "" }
            text.append(byte)
        }
        return ""
    }

    /// Whether the file defines `name` for others.
    func exports(_ name: String) throws(PluginFileError) -> Bool {
        let hash = Self.hash(name)
        let header = ELFFields(bytes: try read(hashTable, 16))
        let buckets = header.number(UInt32.self, at: 0)
        let firstSymbol = header.number(UInt32.self, at: 4)
        let bloomWords = header.number(UInt32.self, at: 8)
        guard buckets > 0 else { return false }
        // The filter is passed over: it saves time and decides nothing.
        let bucketTable = hashTable &+ 16 &+ UInt64(bloomWords) * 8
        var symbol = try number(at: bucketTable &+ UInt64(hash % buckets) * 4)
        guard symbol >= firstSymbol, symbol > 0 else { return false }
        let chain = bucketTable &+ UInt64(buckets) * 4
        for _ in 0..<Self.maximumChain {
            let entry = try number(at: chain &+ UInt64(symbol - firstSymbol) * 4)
            if entry | 1 == hash | 1 {
                if try isDefined(symbol, name) { return true }
            }
            // The last of a chain is marked so.
            if entry & 1 == 1 || symbol == .max { return false }
            symbol += 1
        }
        return false
    }

    private func isDefined(_ symbol: UInt32, _ name: String) throws(PluginFileError) -> Bool {
        let entry = ELFFields(bytes: try read(symbolTable &+ UInt64(symbol) * 24, 24))
        let nameOffset = entry.number(UInt32.self, at: 0)
        let section = entry.number(UInt16.self, at: 6)
        guard section != 0 else { return false }
        let expected = Array(name.utf8) + [0]
        return try read(names &+ UInt64(nameOffset), expected.count) == expected
    }

    private func number(at address: UInt64) throws(PluginFileError) -> UInt32 {
        ELFFields(bytes: try read(address, 4)).number(UInt32.self, at: 0)
    }

    /// Bytes at an address of the loaded file; none where nothing of the file would lie.
    private func read(_ address: UInt64, _ count: Int) throws(PluginFileError) -> [UInt8] {
        for segment in segments where segment.isLoaded && address >= segment.address {
            let inside = address - segment.address
            guard inside < segment.length, segment.length - inside >= UInt64(count) else { continue }
            let (offset, overflow) = segment.offset.addingReportingOverflow(inside)
            return overflow ? [] : try source(offset, count)
        }
        return []
    }

    /// The hash of the GNU hash table.
    static func hash(_ name: String) -> UInt32 { name.utf8.reduce(5_381) { $0 &* 33 &+ UInt32($1) } }
}
