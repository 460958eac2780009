// Damaged files are refused and never crash the reader.

import Testing

@testable import CallDirectory

@Suite struct DamageTests {
    private let scratch: Scratch
    private let sound: [UInt8]

    init() throws {
        scratch = try Scratch()
        let entries = (1...300).map { IdentificationEntry(Int64($0 * $0), "label \($0 % 5)") }
        _ = try scratch.directory("sound", blocked: (1...700).map { Int64($0 * $0 * $0) }, identified: entries)
        sound = try scratch.bytes("sound")
    }

    /// Makes every query.
    private func exercise(_ directory: CompiledDirectory) {
        for number in [Int64.min, -1, 0, 1, 2, 27, 1_000, 46_700_000_000, .max - 1, .max] {
            _ = directory.blocks(number)
            _ = directory.label(of: number)
            _ = directory.labels(of: number).count
        }
        _ = directory.blockedNumbers.reduce(0) { $0 ^ $1 }
        _ = directory.identifiedNumbers.reduce(0) { $0 + $1.label.utf8.count }
    }

    @Test func everyBitIsGuarded() throws {
        for offset in stride(from: 0, to: sound.count, by: 3) {
            var bytes = sound
            bytes[offset] ^= 1 << UInt8(offset % 8)
            #expect(throws: CompiledDirectoryError.self, "bit in byte \(offset)") {
                try CompiledDirectory(bytes: bytes, verifyingChecksum: true)
            }
        }
        #expect(throws: Never.self) { try CompiledDirectory(bytes: sound, verifyingChecksum: true) }
    }

    @Test func everyLengthButItsOwnIsRefused() throws {
        for length in stride(from: 0, to: sound.count, by: 7) {
            #expect(throws: CompiledDirectoryError.self) {
                try CompiledDirectory(bytes: Array(sound[..<length]), verifyingChecksum: false)
            }
        }
        #expect(throws: CompiledDirectoryError.self) {
            try CompiledDirectory(bytes: sound + [0, 0, 0, 0, 0, 0, 0, 0], verifyingChecksum: false)
        }
    }

    @Test func announcementsAreNotBelieved() throws {
        for field in 4...9 {
            for value in [UInt64(10_000_001), 1 << 31, 1 << 31 + 1, 1 << 32, 1 << 62, .max] {
                var bytes = sound
                for byte in 0..<8 { bytes[field * 8 + byte] = UInt8(truncatingIfNeeded: value >> UInt64(byte * 8)) }
                #expect(throws: CompiledDirectoryError.self) {
                    try CompiledDirectory(bytes: bytes, verifyingChecksum: false)
                }
            }
        }
    }

    /// With a valid checksum, so that only the bounds checks can refuse.
    @Test func whatPassesTheChecksumHarmsNobodyEither() throws {
        var generator = Seeded(11)
        var opened = 0
        for _ in 0..<20_000 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let offset = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[offset] = .random(in: 0...255, using: &generator)
            }
            guard let directory = try? CompiledDirectory(bytes: bytes, verifyingChecksum: false) else { continue }
            opened += 1
            exercise(directory)
        }
        #expect(opened > 1_000)
    }

    @Test func aDamagedFileIsSetAside() throws {
        var bytes = sound
        bytes[sound.count / 2] ^= 0x10
        try scratch.write("list", bytes)
        let error = #expect(throws: CompiledDirectoryError.self) { try CompiledDirectory(self.scratch.path("list")) }
        #expect(error == .damaged("its checksum is wrong"))
        #expect(try CompiledDirectory.setAside(scratch.path("list")) == scratch.path("list.corrupt"))
        #expect(try scratch.names == ["list.corrupt", "sound"])
        #expect(try scratch.bytes("list.corrupt") == bytes)
    }
}
