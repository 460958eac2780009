// The note reader with malicious files.

import CallModel
import EventLoop
import TestSupport
import Testing

@testable import WorkerLaunch

@Suite struct ELFNoteReaderTests {
    private func read(_ change: (inout ELFImage) -> Void) throws(PluginFileError) -> PluginNote {
        var image = ELFImage()
        change(&image)
        return try ELFNoteReader(image.bytes).note()
    }

    private func expect(
        _ expected: PluginFileError, _ location: SourceLocation = #_sourceLocation, change: (inout ELFImage) -> Void
    ) {
        #expect(throws: expected, sourceLocation: location) { try read(change) }
    }

    @Test func findsTheNote() throws {
        #expect(try read { _ in } == ELFImage.hostNote)
        #expect(try read { $0.alignment = 8 } == ELFImage.hostNote)
        // Build ids end at odd multiples of 4, and some linkers pack them so whatever the segment's alignment says.
        for alignment in [0, 1, 4, 8, 4096] as [UInt64] {
            for padding in [4, 8] {
                let note = try read {
                    $0.alignment = alignment
                    $0.otherPadding = padding
                }
                #expect(note == ELFImage.hostNote, "alignment \(alignment), padding \(padding)")
            }
        }
        // A later SDK may add fields.
        #expect(try read { $0.noteLength = 8 } == ELFImage.hostNote)
    }

    @Test func otherNotesAreNotOurs() {
        expect(.noNote) { $0.noteName = "OpenCallKiT\0" }
        expect(.noNote) { $0.noteName = "OpenCallKit" }
        expect(.noNote) { $0.noteName = "" }
        expect(.noNote) { $0.noteType = 2 }
        expect(.noNote) { $0.segmentType = 1 }
        expect(.noNote) { $0.segmentCount = 1 }
        expect(.noNote) { $0.segmentCount = 0 }
        expect(.noNote) { $0.noteSize = 0 }
        expect(.malformed("an OpenCallKit note of 20 bytes, expected 24")) { $0.noteLength = 5 }
    }

    @Test func otherMachines() {
        let host = ELFHeader.hostMachine == 62 ? "x86_64" : "arm64"
        expect(.wrongArchitecture(found: "i386", expected: host)) { $0.machine = 3 }
        expect(.wrongArchitecture(found: "machine 8", expected: host)) { $0.machine = 8 }
        expect(.wrongArchitecture(found: "32 bits", expected: "64 bits")) { $0.fileClass = 1 }
        expect(.wrongArchitecture(found: "the other byte order", expected: host)) { $0.byteOrder = 3 - $0.byteOrder }
        expect(.notASharedObject(type: 2)) { $0.type = 2 }
    }

    @Test func absurdNumbers() {
        expect(.malformed("65535 program headers, expected at most 128")) { $0.segmentCount = .max }
        expect(.malformed("program headers of 0 bytes, expected 56")) { $0.segmentSize = 0 }
        expect(.truncated(expected: .max, found: 260)) { $0.segmentOffset = .max }
        expect(.truncated(expected: 1 << 62 + 112, found: 260)) { $0.segmentOffset = 1 << 62 }
        expect(.truncated(expected: .max, found: 260)) { $0.noteOffset = .max - 1 }
        expect(.truncated(expected: 261, found: 260)) { $0.noteOffset = 177 }
        expect(.malformed("\(UInt64.max) bytes of notes, expected at most 65536")) { $0.noteSize = .max }
        expect(.truncated(expected: 176 + 65536, found: 260)) { $0.noteSize = 65536 }
    }

    /// The note comes first; the loaded data behind it and the sections at the end must exist too.
    @Test func whatIsLoadedMustBeThere() throws {
        #expect(try read { $0.loadedSize = 260 } == ELFImage.hostNote)
        expect(.truncated(expected: 261, found: 260)) { $0.loadedSize = 261 }
        expect(.truncated(expected: .max, found: 260)) { $0.loadedSize = .max }
        func sections(_ offset: UInt64, _ count: UInt16) -> (inout ELFImage) -> Void {
            { ($0.sectionOffset, $0.sectionCount) = (offset, count) }
        }
        #expect(try read(sections(196, 1)) == ELFImage.hostNote)
        expect(.truncated(expected: 261, found: 260), change: sections(197, 1))
        expect(.truncated(expected: 4_000, found: 260), change: sections(4_000, 0))
        expect(.truncated(expected: .max, found: 260), change: sections(.max, .max))
    }

    @Test func everyLength() {
        let whole = ELFImage().bytes
        for length in whole.indices {
            #expect("\(length) bytes") {
                try ELFNoteReader(Array(whole.prefix(length))).note()
            } throws: { error in
                switch error as? PluginFileError {
                case .notELF: length < 4
                case .truncated(let expected, let found): length >= 4 && found == UInt64(length) && expected > found
                default: false
                }
            }
        }
    }

    /// A file that shrinks while it is read is shorter than its size.
    @Test func shrinkingFile() {
        let whole = ELFImage().bytes
        for length in 64..<whole.count {
            let reader = ELFNoteReader(size: UInt64(whole.count)) { offset, count in
                Array(whole.prefix(length).dropFirst(Int(offset)).prefix(count))
            }
            #expect(throws: PluginFileError.self) { try reader.note() }
        }
    }

    @Test func randomMutations() {
        var random = SeededGenerator(seed: 2)
        var outcomes: [String: Int] = [:]
        for round in 0..<10_000 {
            var image = ELFImage()
            image.alignment = round.isMultiple(of: 2) ? 4 : 8
            var bytes = image.bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let position = Int.random(in: 4..<bytes.count, using: &random)
                let special: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
                bytes[position] =
                    Bool.random(using: &random)
                    ? UInt8.random(in: 0...255, using: &random) : special.randomElement(using: &random) ?? 0
            }
            if Int.random(in: 0..<8, using: &random) == 0 {
                bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            }
            do throws(PluginFileError) {
                _ = try ELFNoteReader(bytes).note()
                outcomes["note", default: 0] += 1
            } catch {
                #expect(!error.description.isEmpty)
                outcomes[String("\(error.description)".prefix(12)), default: 0] += 1
            }
        }
        // The mutations reach the accepting path and all the refusing ones, or they test nothing.
        #expect(outcomes["note", default: 0] > 1000)
        #expect(outcomes.count >= 6, "\(outcomes)")
    }
}
