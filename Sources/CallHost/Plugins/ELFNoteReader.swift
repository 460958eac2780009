// Reads the note of a plugin's ELF file without loading it: bounded, and every number in the file is distrusted.

import EventLoop

/// A reader of the PT_NOTE segments of a little-endian 64-bit shared object (System V ABI, "Note Section").
struct ELFNoteReader {
    private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
    private static let headerSize = 64
    private static let programHeaderSize = 56
    private static let maximumProgramHeaders = 256
    private static let maximumNotes: UInt64 = 64 * 1_024
    private static let sharedObject: UInt16 = 3
    private static let noteSegment: UInt32 = 4
    private static let noteName: [UInt8] = Array("OpenCallKit".utf8) + [0]
    private static let noteType: UInt32 = 1

    #if arch(x86_64)
        static let hostArchitecture = "x86-64"
        private static let hostMachine: UInt16 = 62
    #elseif arch(arm64)
        static let hostArchitecture = "aarch64"
        private static let hostMachine: UInt16 = 183
    #else
        #error("this architecture's ELF machine number is missing")
    #endif

    private let file: FileReader

    init(_ file: FileReader) { self.file = file }

    func read() throws(PluginFileError) -> PluginNote {
        let header = try bytes(at: 0, count: Self.headerSize, of: nil)
        guard header.starts(with: Self.magic) else { throw .notELF }
        guard header.count == Self.headerSize else { throw .truncated("header") }
        guard header[4] == 2, header[5] == 1 else { throw .wrongArchitecture("32 bits or big-endian") }
        let machine = header.word16(at: 18)
        guard machine == Self.hostMachine else { throw .wrongArchitecture("machine \(machine)") }
        let type = header.word16(at: 16)
        guard type == Self.sharedObject else { throw .notASharedObject(type) }
        let count = Int(header.word16(at: 56))
        guard count <= Self.maximumProgramHeaders, Int(header.word16(at: 54)) == Self.programHeaderSize else {
            throw .truncated("program headers")
        }
        let table = try bytes(at: header.word64(at: 32), count: count * Self.programHeaderSize, of: "program headers")
        for index in 0..<count {
            let start = index * Self.programHeaderSize
            guard table.word32(at: start) == Self.noteSegment else { continue }
            let size = table.word64(at: start + 32)
            guard size <= Self.maximumNotes else { continue }
            let notes = try bytes(at: table.word64(at: start + 8), count: Int(size), of: "notes")
            if let note = Self.find(in: notes, alignment: table.word64(at: start + 48) == 8 ? 8 : 4) { return note }
        }
        throw .noNote
    }

    /// Walks the notes of one segment.
    private static func find(in notes: [UInt8], alignment: Int) -> PluginNote? {
        var position = 0
        while position + 12 <= notes.count {
            let nameSize = Int(notes.word32(at: position))
            let valueSize = Int(notes.word32(at: position + 4))
            let type = notes.word32(at: position + 8)
            let name = position + 12
            let value = (name + nameSize + alignment - 1) / alignment * alignment
            let end = (value + valueSize + alignment - 1) / alignment * alignment
            guard value + valueSize <= notes.count else { return nil }
            if type == noteType, notes[name..<name + nameSize].elementsEqual(noteName) {
                return PluginNote(words: (0..<valueSize / 4).map { notes.word32(at: value + 4 * $0) })
            }
            position = end
        }
        return nil
    }

    /// Exactly `count` bytes where `part` names what they are, else as many as there are.
    private func bytes(at offset: UInt64, count: Int, of part: String?) throws(PluginFileError) -> [UInt8] {
        guard offset <= file.status.size else { throw .truncated(part ?? "header") }
        let read: [UInt8]
        do {
            read = try file.read(at: offset, count: count)
        } catch {
            throw .unreadable(error.description)
        }
        if let part, read.count < count { throw .truncated(part) }
        return read
    }
}

extension [UInt8] {
    fileprivate func word16(at index: Int) -> UInt16 { UInt16(self[index]) | UInt16(self[index + 1]) << 8 }

    fileprivate func word32(at index: Int) -> UInt32 {
        UInt32(word16(at: index)) | UInt32(word16(at: index + 2)) << 16
    }

    fileprivate func word64(at index: Int) -> UInt64 {
        UInt64(word32(at: index)) | UInt64(word32(at: index + 4)) << 32
    }
}
