// CompiledDirectory: an open compiled directory, with the numbers that it blocks and labels.

internal import CallModel
internal import Glibc

/// A file of a call directory, mapped into memory. Opening checks all of it; whatever the file holds, a look-up ends and
/// never traps.
public final class CompiledDirectory: Sendable {
    let bytes: Bytes
    let layout: DirectoryLayout
    let blocked: LineIndex
    let identified: LineIndex

    /// - Throws: `CompiledDirectoryError`; `damaged` if the file is not as it was written.
    public convenience init(_ path: String) throws(CompiledDirectoryError) {
        try self.init(Bytes(mapping: path), verifyingChecksum: true)
    }

    /// - Parameter verifyingChecksum: false in tests with invalid bytes.
    public convenience init(bytes: [UInt8], verifyingChecksum: Bool) throws(CompiledDirectoryError) {
        try self.init(Bytes(bytes), verifyingChecksum: verifyingChecksum)
    }

    init(_ bytes: Bytes, verifyingChecksum: Bool) throws(CompiledDirectoryError) {
        guard bytes.count >= DirectoryLayout.headerBytes else { throw .damaged("it ends within its header") }
        layout = try DirectoryLayout((0..<DirectoryLayout.headerWords).map { bytes.word(at: $0 * 8) })
        guard layout.fileSize == bytes.count else {
            throw .damaged("\(bytes.count) bytes, its header announces \(layout.fileSize)")
        }
        if verifyingChecksum {
            var checksum = Checksum()
            bytes.checksum(of: DirectoryLayout.headerBytes..<bytes.count, into: &checksum)
            var header = layout
            header.checksum = 0
            for word in header.words { checksum.add(word) }
            guard checksum.value == layout.checksum else { throw .damaged("its checksum is wrong") }
        }
        self.bytes = bytes
        blocked = try LineIndex(
            bytes, at: layout.blockedOffset, lines: layout.blockedLines, entries: layout.blocked, hasLabels: false)
        identified = try LineIndex(
            bytes, at: layout.identifiedOffset, lines: layout.identifiedLines, entries: layout.identified,
            hasLabels: true)
        var end: Int64 = 0
        for place in 0..<layout.ranges {
            guard let range = range(place), range.lowerBound > end else {
                throw .damaged("range \(place) is not valid")
            }
            end = range.upperBound
        }
        var last: UInt32 = 0
        for label in 0...layout.labels {
            let end = bytes.half(at: layout.labelEndsOffset + label * 4)
            guard end >= last, end <= layout.labelBytes else { throw .damaged("label \(label) lies outside the file") }
            last = end
        }
    }

    public var counts: DirectoryCounts {
        DirectoryCounts(blocked: layout.blocked, identified: layout.identified, ranges: layout.ranges)
    }

    /// How many different labels there are; each is stored once.
    public var labelCount: Int { layout.labels }

    /// The size in bytes, on disk and in memory.
    public var size: Int { bytes.count }

    /// Returns whether calls from this number are blocked.
    public func blocks(_ number: Int64) -> Bool {
        guard let line = blocked.lastLine(notAbove: number) else { return false }
        return blocked.has(number, in: line)
    }

    /// Returns the first label of this number.
    public func label(of number: Int64) -> String? {
        var label: String?
        eachLabel(of: number) {
            label = self.label($0)
            return false
        }
        return label
    }

    /// Returns all labels of this number, in the order in which they were added.
    public func labels(of number: Int64) -> [String] {
        var labels: [String] = []
        eachLabel(of: number) {
            labels.append(self.label($0))
            return true
        }
        return labels
    }

    /// Passes the labels of a number to `body` until it returns false. The entries may be in several lines.
    private func eachLabel(of number: Int64, _ body: (UInt64) -> Bool) {
        var line = identified.firstLine(thatMayHold: number)
        while line < identified.lineCount, identified.first(of: line) <= number {
            let count = identified.entries(in: line)
            var position = identified.lowerBound(of: number, in: line)
            while position < count, identified.number(position, in: line) == number {
                if !body(identified.label(position, in: line)) { return }
                position += 1
            }
            if position < count { return }
            line += 1
        }
    }

    /// - Returns: an empty text for an unknown label.
    func label(_ number: UInt64) -> String {
        guard number < layout.labels else { return "" }
        let ends = layout.labelEndsOffset + Int(number) * 4
        let start = Int(bytes.half(at: ends))
        let end = Int(bytes.half(at: ends + 4))
        guard start <= end else { return "" }
        return bytes.text(at: layout.labelBytesOffset + start..<layout.labelBytesOffset + end)
    }
}

/// An entry that labels a number.
public struct IdentificationEntry: Hashable, Sendable {
    public let number: Int64
    public let label: String

    public init(_ number: Int64, _ label: String) {
        self.number = number
        self.label = label
    }
}

extension CompiledDirectory {
    /// The blocked numbers, in ascending order.
    public var blockedNumbers: BlockedNumbers { BlockedNumbers(walk: LineWalk(blocked)) }

    public struct BlockedNumbers: Sequence, IteratorProtocol {
        fileprivate var walk: LineWalk

        public mutating func next() -> Int64? {
            guard let (line, position) = walk.next() else { return nil }
            return walk.index.number(position, in: line)
        }
    }

    /// The identified numbers, in ascending order; the labels of a number in the order in which they were added.
    public var identifiedNumbers: IdentifiedNumbers {
        IdentifiedNumbers(directory: self, walk: LineWalk(identified))
    }

    public struct IdentifiedNumbers: Sequence, IteratorProtocol {
        fileprivate let directory: CompiledDirectory
        fileprivate var walk: LineWalk

        public mutating func next() -> IdentificationEntry? {
            guard let (line, position) = walk.next() else { return nil }
            let label = directory.label(walk.index.label(position, in: line))
            return IdentificationEntry(walk.index.number(position, in: line), label)
        }
    }
}

/// Walks the places of the entries of one kind.
private struct LineWalk {
    let index: LineIndex
    private var line = 0
    private var position = 0
    private var count = 0

    init(_ index: LineIndex) {
        self.index = index
        if index.lineCount > 0 { count = index.entries(in: 0) }
    }

    mutating func next() -> (line: Int, position: Int)? {
        while position >= count {
            guard line + 1 < index.lineCount else { return nil }
            line += 1
            position = 0
            count = index.entries(in: line)
        }
        defer { position += 1 }
        return (line, position)
    }
}

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
    /// None in files that older versions wrote.
    var ranges = 0

    var blockedOffset: Int { Self.headerBytes }
    var identifiedOffset: Int { blockedOffset + blockedLines * Self.lineBytes }
    var rangesOffset: Int { identifiedOffset + identifiedLines * Self.lineBytes }
    var labelEndsOffset: Int { rangesOffset + ranges * CompiledDirectory.rangeBytes }
    var labelBytesOffset: Int { labelEndsOffset + (labels + 2) / 2 * 8 }
    var expectedSize: Int { labelBytesOffset + (labelBytes + 7) / 8 * 8 }

    var words: [UInt64] {
        let counts = [blocked, identified, blockedLines, identifiedLines, labels, labelBytes, ranges].map(UInt64.init)
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
        guard words[10] <= UInt64(NumberRanges.maximum) else {
            throw .damaged("it announces \(words[10]) ranges, expected at most \(NumberRanges.maximum)")
        }
        guard words[11...].allSatisfy({ $0 == 0 }) else { throw .damaged("its header has unknown fields") }
        checksum = words[3]
        blocked = Int(words[4])
        identified = Int(words[5])
        blockedLines = Int(words[6])
        identifiedLines = Int(words[7])
        labels = Int(words[8])
        labelBytes = Int(words[9])
        ranges = Int(words[10])
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

extension CompiledDirectory {
    /// Renames a damaged file, for inspection, and replaces an earlier one.
    /// - Returns: the new path.
    public static func setAside(_ path: String) throws(CompiledDirectoryError) -> String {
        let aside = path + ".corrupt"
        guard rename(path, aside) == 0 else { throw .last("rename \(path)") }
        return aside
    }

    /// Removes a file, if it exists.
    public static func discard(_ path: String) { unlink(path) }
}
