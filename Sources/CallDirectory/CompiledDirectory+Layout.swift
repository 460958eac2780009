// How a compiled directory lies in its file: 64-bit words, the low byte first.
//
//     header            16 words: magic, version, file size, checksum, counts, where the index begins
//     blocks            of 128 entries each, of both kinds as they came; a block of numbers is packed as distances from
//                       its first number, all as wide as the widest; one of identified numbers has as many label numbers
//                       packed behind
//     index of blocked  two words for each block: its first number; where it begins and how wide it is packed
//     index of identified
//     label ends        32 bits each: where each label ends in what follows
//     labels            UTF-8, each once
//
// Beside frames of reference with a sparse index, Elias–Fano was sketched: 1.6 bytes for a number instead of 2.3 on a
// nation-wide list, for a select structure that must be built in a second pass and twice the code to check.

/// The header's words, and the bounds that everything else follows from.
struct DirectoryLayout: Equatable {
    static let magic: UInt64 = 0x3152_4944_4B43_4F0A  // "\nOCKDIR1"
    static let version: UInt64 = 1
    static let headerWords = 16
    static let headerBytes = headerWords * 8
    static let entriesInBlock = 128
    /// No file has more of anything, so that sums of sizes cannot overflow.
    static let maximumCount: UInt64 = 1 << 31

    var fileSize = 0
    var checksum: UInt64 = 0
    var blocked = 0
    var identified = 0
    var labels = 0
    var labelBytes = 0
    var indexOffset = 0

    static func blocks(of entries: Int) -> Int { (entries + entriesInBlock - 1) / entriesInBlock }

    var blockedBlocks: Int { Self.blocks(of: blocked) }
    var identifiedBlocks: Int { Self.blocks(of: identified) }
    var identifiedIndexOffset: Int { indexOffset + blockedBlocks * 16 }
    var labelEndsOffset: Int { identifiedIndexOffset + identifiedBlocks * 16 }
    var labelBytesOffset: Int { labelEndsOffset + (labels + 1) / 2 * 8 }
    var expectedSize: Int { labelBytesOffset + (labelBytes + 7) / 8 * 8 }

    var words: [UInt64] {
        let words: [UInt64] = [
            Self.magic, Self.version, UInt64(fileSize), checksum, UInt64(blocked), UInt64(identified), UInt64(labels),
            UInt64(labelBytes), UInt64(indexOffset),
        ]
        return words + Array(repeating: 0, count: Self.headerWords - words.count)
    }

    /// The header of a directory, in so far as it can be told without looking further.
    init(_ words: [UInt64]) throws(CompiledDirectoryError) {
        guard words.count == Self.headerWords else { throw .damaged("it ends within its header") }
        guard words[0] == Self.magic else { throw .damaged("it does not begin as a call directory does") }
        guard words[1] == Self.version else { throw .damaged("version \(words[1]), expected \(Self.version)") }
        for count in words[4...7] where count > Self.maximumCount {
            throw .damaged("it announces \(count) entries, expected at most \(Self.maximumCount)")
        }
        guard words[2] <= UInt64(Int.max), words[8] <= words[2] else { throw .damaged("its index lies outside of it") }
        guard words[9...].allSatisfy({ $0 == 0 }) else { throw .damaged("its header has unknown fields") }
        fileSize = Int(words[2])
        checksum = words[3]
        blocked = Int(words[4])
        identified = Int(words[5])
        labels = Int(words[6])
        labelBytes = Int(words[7])
        indexOffset = Int(words[8])
        guard indexOffset >= Self.headerBytes, indexOffset % 8 == 0, expectedSize == fileSize else {
            throw .damaged("its parts take \(expectedSize) bytes, it says that it has \(fileSize)")
        }
    }

    init() {}
}

/// Where a block begins and how it is packed; one word of an index.
struct BlockPlace: Equatable {
    /// From the beginning of the file, in words.
    var offset: Int
    /// Bits of a distance, 0 to 56 or 64: eight bytes from any byte on hold one.
    var numberWidth: Int
    /// Bits of a label's number, 0 to 32; 0 in a block of blocked numbers.
    var labelWidth: Int

    init(offset: Int, numberWidth: Int, labelWidth: Int) {
        self.offset = offset
        self.numberWidth = numberWidth
        self.labelWidth = labelWidth
    }

    init(word: UInt64) {
        offset = Int(word >> 16)
        numberWidth = Int(word & 0xFF)
        labelWidth = Int(word >> 8 & 0xFF)
    }

    var word: UInt64 { UInt64(offset) << 16 | UInt64(labelWidth) << 8 | UInt64(numberWidth) }

    func numberWords(_ count: Int) -> Int { (count * numberWidth + 63) / 64 }
    func labelWords(_ count: Int) -> Int { (count * labelWidth + 63) / 64 }

    /// - Returns: 0 to 56, or 64.
    static func width(of largest: UInt64) -> Int {
        let width = 64 - largest.leadingZeroBitCount
        return width > 56 ? 64 : width
    }
}
