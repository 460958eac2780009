// How a compiled directory lies in its file: 64-bit words, the low byte first.
//
//     header            16 words: magic, version, file size, checksum, counts
//     lines of blocked  64 bytes each, see `LineShape`: as many entries as fit, so that a look-up fetches one line of
//                       the processor's cache
//     lines of identified
//     label ends        32 bits each: 0, and where each label ends in what follows
//     labels            UTF-8, each once
//
// The guide to the line of a number is made from the lines when a file is opened, see `LineGuide`. Elias–Fano takes 1.6
// bytes for a number instead of 2.4 on a nation-wide list, but two lines for a look-up.

internal import CallModel

/// The header's words, from which the places of everything else follow.
struct DirectoryLayout: Equatable {
    static let magic: UInt64 = 0x3152_4944_4B43_4F0A  // "\nOCKDIR1"
    static let version: UInt64 = 2
    static let headerWords = 16
    static let headerBytes = headerWords * 8
    static let lineWords = 8
    static let lineBytes = lineWords * 8
    /// The most of anything in a file; bounds what reading it takes.
    static let maximumCount = UInt64(DirectoryOrder.maximumEntries)

    var fileSize = 0
    var checksum: UInt64 = 0
    var blocked = 0
    var identified = 0
    var blockedLines = 0
    var identifiedLines = 0
    var labels = 0
    var labelBytes = 0

    var blockedOffset: Int { Self.headerBytes }
    var identifiedOffset: Int { blockedOffset + blockedLines * Self.lineBytes }
    var labelEndsOffset: Int { identifiedOffset + identifiedLines * Self.lineBytes }
    var labelBytesOffset: Int { labelEndsOffset + (labels + 2) / 2 * 8 }
    var expectedSize: Int { labelBytesOffset + (labelBytes + 7) / 8 * 8 }

    var words: [UInt64] {
        let counts = [blocked, identified, blockedLines, identifiedLines, labels, labelBytes].map(UInt64.init)
        let words = [Self.magic, Self.version, UInt64(fileSize), checksum] + counts
        return words + Array(repeating: 0, count: Self.headerWords - words.count)
    }

    /// Reads the header of a directory, and checks what can be checked without the rest of the file.
    init(_ words: [UInt64]) throws(CompiledDirectoryError) {
        guard words.count == Self.headerWords else { throw .damaged("it ends within its header") }
        guard words[0] == Self.magic else { throw .damaged("it does not begin like a call directory") }
        guard words[1] == Self.version else { throw .damaged("version \(words[1]), expected \(Self.version)") }
        for count in words[4...8] where count > Self.maximumCount {
            throw .damaged("it announces \(count) entries, expected at most \(Self.maximumCount)")
        }
        guard words[9] <= UInt64(LabelTable.maximumBytes) else {
            throw .damaged("it announces \(words[9]) bytes of labels, expected at most \(LabelTable.maximumBytes)")
        }
        guard words[10...].allSatisfy({ $0 == 0 }) else { throw .damaged("its header has unknown fields") }
        checksum = words[3]
        blocked = Int(words[4])
        identified = Int(words[5])
        blockedLines = Int(words[6])
        identifiedLines = Int(words[7])
        labels = Int(words[8])
        labelBytes = Int(words[9])
        fileSize = expectedSize
        guard words[2] == UInt64(fileSize) else {
            throw .damaged("its parts take \(fileSize) bytes, its header announces \(words[2])")
        }
    }

    init() {}
}

/// How a line is packed. Its first eight bytes are its first number, the next four this shape. Then follow, bit by bit,
/// the distances of the other numbers from the first and, for identified numbers, the numbers of the labels. Blocked
/// numbers are packed in 8 or 16 bits if possible.
struct LineShape: Equatable {
    static let payloadOffset = 12
    static let payloadBits = (DirectoryLayout.lineBytes - payloadOffset) * 8
    static let maximumCount = 255
    /// The widest value that eight bytes hold, wherever in the first byte it begins.
    static let maximumWidth = 56

    /// The number of entries, the first included.
    var count = 0
    /// The bits of a distance.
    var numberWidth = 0
    /// The bits of a label's number; 0 in a line of blocked numbers.
    var labelWidth = 0

    /// - Parameter word: the second word of a line.
    @inline(__always)
    init(word: UInt64) {
        numberWidth = Int(word & 0xFF)
        labelWidth = Int(word >> 8 & 0xFF)
        count = Int(word >> 16 & 0xFF)
    }

    init() {}

    var word: UInt64 { UInt64(count) << 16 | UInt64(labelWidth) << 8 | UInt64(numberWidth) }

    var numberBits: Int { max(0, count - 1) * numberWidth }
    var bits: Int { numberBits + count * labelWidth }
    var fits: Bool { bits <= Self.payloadBits && numberWidth <= Self.maximumWidth && labelWidth <= 32 }
}
