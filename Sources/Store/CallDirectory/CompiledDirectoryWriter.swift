// CompiledDirectoryWriter: writes a compiled directory.

public import CallModel

/// How many entries a directory has.
public struct DirectoryCounts: Equatable, Sendable {
    public var blocked: Int
    public var identified: Int
    public var ranges: Int

    public init(blocked: Int = 0, identified: Int = 0, ranges: Int = 0) {
        self.blocked = blocked
        self.identified = identified
        self.ranges = ranges
    }
}

/// Takes the entries of both kinds, each kind in ascending order, and writes them at once. Keeps one line of each kind and the
/// labels in memory. Releasing it before `finish` leaves the earlier file.
public final class CompiledDirectoryWriter {
    private let file: WordFile
    private var order: DirectoryOrder
    private var blocked = LineWriter(isLaned: true)
    private var identified = LineWriter(isLaned: false)
    /// The lines of identified numbers, which follow all blocked ones in the file.
    private var aside: WordFile?
    private var labels = LabelTable()
    private var ranges = NumberRanges()

    /// - Parameter path: the path of the file, which `finish` makes. A path has one writer at a time.
    public init(
        _ path: String, maximumEntries: Int = DirectoryOrder.maximumEntries
    ) throws(CompiledDirectoryError) {
        file = try WordFile(path, headerWords: DirectoryLayout.headerWords)
        order = DirectoryOrder(maximum: maximumEntries)
    }

    /// How many entries were added so far.
    public var counts: DirectoryCounts {
        DirectoryCounts(blocked: order.blocked, identified: order.identified, ranges: ranges.count)
    }

    /// - Throws: a `CallError` of the order of entries, or a `CompiledDirectoryError`.
    public func block(_ numbers: some Sequence<Int64>) throws {
        for number in numbers {
            try order.block(number)
            try blocked.append(number, to: file)
        }
    }

    public func block(_ number: Int64) throws { try block(CollectionOfOne(number)) }

    /// - Throws: `EntriesOutOfOrder` or `MaximumEntriesExceeded`.
    public func blockRanges(_ new: [ClosedRange<Int64>]) throws(CallError) { try ranges.add(new) }

    /// - Parameter label: any text; it is made displayable.
    /// - Throws: a `CallError` of the order of entries, or a `CompiledDirectoryError`.
    public func identify(_ number: Int64, _ label: String) throws {
        let label = label.directoryLabel
        try order.identify(number, label)
        guard let labelNumber = labels.number(of: label) else {
            throw CallError(
                .maximumEntriesExceeded,
                "identification entry \(order.identified): more than \(LabelTable.maximumBytes) bytes of labels")
        }
        let aside = try aside ?? WordFile(besides: file.path)
        self.aside = aside
        try identified.append(number, labelNumber, to: aside)
    }

    /// Flushes the file to the disk and moves it into place. Do not use the writer after that.
    public func finish() throws(CompiledDirectoryError) {
        try blocked.flush(to: file)
        if let aside {
            try identified.flush(to: aside)
            try file.append(all: aside)
        }
        let ranges = ranges.list
        for range in ranges {
            try file.append(UInt64(range.lowerBound))
            try file.append(UInt64(range.upperBound))
        }
        var layout = DirectoryLayout()
        let ends = [0] + labels.ends
        for pair in stride(from: 0, to: ends.count, by: 2) {
            try file.append(UInt64(ends[pair]) | (pair + 1 < ends.count ? UInt64(ends[pair + 1]) << 32 : 0))
        }
        for start in stride(from: 0, to: labels.bytes.count, by: 8) {
            let bytes = labels.bytes[start..<min(start + 8, labels.bytes.count)]
            try file.append(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        layout.blocked = blocked.count
        layout.identified = identified.count
        layout.blockedLines = blocked.lineCount
        layout.identifiedLines = identified.lineCount
        layout.ranges = ranges.count
        layout.labels = labels.ends.count
        layout.labelBytes = labels.bytes.count
        layout.fileSize = file.position * 8
        var checksum = file.checksum
        for word in layout.words { checksum.add(word) }
        layout.checksum = checksum.value
        try file.finish(header: layout.words)
    }
}
