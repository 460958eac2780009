// Finds the note in a plugin without loading it: dlopen would run its constructors.

/// Walks the note segments of a 64-bit ELF shared object. It believes nothing that the file says about itself, reads
/// less than 80 KiB of any file and always comes to an end.
struct ELFNoteReader {
    /// Gives up to so many bytes from this offset on; fewer where the file ends.
    typealias Source = (_ offset: UInt64, _ count: Int) throws(PluginFileError) -> [UInt8]

    /// Linkers write a few hundred bytes of notes.
    static let maximumNoteBytes: UInt64 = 64 * 1024

    private let size: UInt64
    private let source: Source

    init(size: UInt64, source: @escaping Source) {
        self.size = size
        self.source = source
    }

    init(_ bytes: [UInt8]) {
        self.init(size: UInt64(bytes.count)) { offset, count in
            guard let start = Int(exactly: offset), start <= bytes.count else { return [] }
            return Array(bytes[start...].prefix(count))
        }
    }

    /// The first note of ours.
    func note() throws(PluginFileError) -> PluginNote {
        let header = try ELFHeader(source(0, ELFHeader.size))
        let table = try bytes(at: header.segmentOffset, count: UInt64(header.segmentCount * ELFSegment.size))
        let segments = (0..<header.segmentCount).map { index in
            ELFSegment(Array(table[(index * ELFSegment.size)..<((index + 1) * ELFSegment.size)]))
        }
        // The linker maps the file as its headers say; touching what is not there would be the worker's death.
        for segment in segments where segment.isLoaded { try check(segment.offset, segment.length) }
        try check(header.sectionOffset, header.sectionLength)
        var remaining = Self.maximumNoteBytes
        for segment in segments where segment.isNote {
            guard segment.length <= remaining else {
                throw .malformed("\(segment.length) bytes of notes, expected at most \(remaining)")
            }
            remaining -= segment.length
            let notes = try bytes(at: segment.offset, count: segment.length)
            // Some linkers put notes of both alignments into one segment.
            for alignment in segment.alignment == 8 ? [8, 4] : [4, 8] {
                if let description = Self.description(in: notes, alignment: alignment) {
                    return try Self.decode(description)
                }
            }
        }
        throw .noNote
    }

    /// - Returns: where the part of the file ends.
    @discardableResult
    private func check(_ offset: UInt64, _ count: UInt64) throws(PluginFileError) -> UInt64 {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, end <= size else { throw .truncated(expected: overflow ? .max : end, found: size) }
        return end
    }

    private func bytes(at offset: UInt64, count: UInt64) throws(PluginFileError) -> [UInt8] {
        let end = try check(offset, count)
        guard count > 0 else { return [] }
        let bytes = try source(offset, Int(count))
        guard bytes.count == Int(count) else {
            throw .truncated(expected: end, found: offset + UInt64(bytes.count))
        }
        return bytes
    }

    /// What follows the name of our note; nil if there is none before the end or before nonsense.
    private static func description(in notes: [UInt8], alignment: Int) -> [UInt8]? {
        let name = Array(PluginNote.name.utf8) + [0]
        let fields = ELFFields(bytes: notes)
        var position = 0
        while notes.count - position >= 12 {
            let nameSize = Int(fields.number(UInt32.self, at: position))
            let descriptionSize = Int(fields.number(UInt32.self, at: position + 4))
            let nameStart = position + 12
            let start = position + aligned(12 + nameSize, to: alignment)
            let end = start + descriptionSize
            guard nameStart + nameSize <= notes.count, end <= notes.count else { return nil }
            if fields.number(UInt32.self, at: position + 8) == PluginNote.type,
                notes[nameStart..<(nameStart + nameSize)] == name[...]
            {
                return Array(notes[start..<end])
            }
            position = start + aligned(descriptionSize, to: alignment)
        }
        return nil
    }

    /// Sizes are 32-bit numbers, so nothing overflows in 64 bits.
    private static func aligned(_ size: Int, to alignment: Int) -> Int {
        (size + alignment - 1) & ~(alignment - 1)
    }

    /// Six numbers; later versions may add to them.
    private static func decode(_ description: [UInt8]) throws(PluginFileError) -> PluginNote {
        guard description.count >= 24 else {
            throw .malformed("an OpenCallKit note of \(description.count) bytes, expected 24")
        }
        let fields = ELFFields(bytes: description)
        func number(_ index: Int) -> UInt32 { fields.number(UInt32.self, at: index * 4) }
        return PluginNote(
            protocolVersion: number(0),
            sdkVersion: PluginNote.SDKVersion(major: number(1), minor: number(2), patch: number(3)),
            toolchain: PluginNote.Toolchain(major: number(4), minor: number(5)))
    }
}
