// Small ELF files, well formed unless a test damages them.

@testable import WorkerLaunch

/// A 64-bit shared object with nothing but a header, two program headers and notes.
struct ELFImage {
    static let hostNote = PluginNote(
        protocolVersion: 1, sdkVersion: PluginNote.SDKVersion(major: 0, minor: 1, patch: 0),
        toolchain: PluginNote.Toolchain(major: 6, minor: 3))

    var note = hostNote
    var noteName = "OpenCallKit\0"
    var noteType: UInt32 = 1
    /// In 32-bit words.
    var noteLength = 6
    var alignment: UInt64 = 4
    /// Comes before ours, padded to `alignment` or, if given, to another.
    var otherNote = 20
    var otherPadding: Int?
    var machine = ELFHeader.hostMachine
    var type: UInt16 = 3
    var fileClass: UInt8 = 2
    var byteOrder = ELFHeader.hostByteOrder
    var segmentCount: UInt16 = 2
    var segmentSize: UInt16 = 56
    var segmentOffset: UInt64 = 64
    var noteOffset: UInt64 = 176
    var noteSize: UInt64?
    var segmentType: UInt32 = 4
    /// The part of the file that the loaded segment covers.
    var loadedSize: UInt64 = 176
    var sectionOffset: UInt64 = 0
    var sectionCount: UInt16 = 0

    var bytes: [UInt8] {
        let numbers = [
            note.protocolVersion, note.sdkVersion.major, note.sdkVersion.minor, note.sdkVersion.patch,
            note.toolchain.major, note.toolchain.minor,
        ]
        let value = (numbers + [0, 0]).prefix(noteLength).flatMap(Self.bytes)
        var notes = Self.entry("GNU\0", 3, Array(repeating: 0xAA, count: otherNote))
        let padding = otherPadding ?? Int(alignment)
        while notes.count % padding != 0 { notes.append(0) }
        notes += Self.entry(noteName, noteType, value)

        var bytes = ELFHeader.magic + [fileClass, byteOrder, 1] + Array(repeating: 0, count: 9)
        bytes += Self.bytes(type) + Self.bytes(machine) + Self.bytes(UInt32(1)) + Self.bytes(UInt64(0))
        bytes += Self.bytes(segmentOffset) + Self.bytes(sectionOffset) + Self.bytes(UInt32(0)) + Self.bytes(UInt16(64))
        bytes += Self.bytes(segmentSize) + Self.bytes(segmentCount)
        bytes += Self.bytes(UInt16(64)) + Self.bytes(sectionCount) + Self.bytes(UInt16(0))
        bytes +=
            segment(type: 1, offset: 0, size: loadedSize)
            + segment(
                type: segmentType, offset: noteOffset, size: noteSize ?? UInt64(notes.count))
        return bytes + notes
    }

    private func segment(type: UInt32, offset: UInt64, size: UInt64) -> [UInt8] {
        Self.bytes(type) + Self.bytes(UInt32(4)) + Self.bytes(offset) + Self.bytes(offset) + Self.bytes(offset)
            + Self.bytes(size) + Self.bytes(size) + Self.bytes(alignment)
    }

    private static func entry(_ name: String, _ type: UInt32, _ value: [UInt8]) -> [UInt8] {
        var bytes =
            Self.bytes(UInt32(name.utf8.count)) + Self.bytes(UInt32(value.count)) + Self.bytes(type) + Array(name.utf8)
        while bytes.count % 4 != 0 { bytes.append(0) }
        return bytes + value
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}
