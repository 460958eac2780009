// CompiledDirectory: an open compiled directory, with the numbers that it blocks and labels.

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
        var last: UInt32 = 0
        for label in 0...layout.labels {
            let end = bytes.half(at: layout.labelEndsOffset + label * 4)
            guard end >= last, end <= layout.labelBytes else { throw .damaged("label \(label) lies outside the file") }
            last = end
        }
    }

    public var counts: DirectoryCounts {
        DirectoryCounts(blocked: layout.blocked, identified: layout.identified)
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
