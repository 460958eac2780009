// Sound files, good and bad.

import EventLoop
import Files
import Glibc
import TestSupport
import Testing

@testable import Sound

@Suite struct SoundFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a WAV file with samples of 32 bits, as a header with these numbers claims.
    @LoopActor private func open(
        _ samples: [Float], rate: UInt32 = 8_000, channels: UInt16 = 1, claimed: UInt32? = nil
    ) throws -> SoundFile {
        func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            (0..<MemoryLayout<Value>.size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        let data = samples.flatMap { little($0.bitPattern) }
        let length = claimed ?? UInt32(data.count)
        var bytes = Array("RIFF".utf8) + little(length &+ 36) + Array("WAVEfmt ".utf8) + little(UInt32(16))
        bytes += little(UInt16(3)) + little(channels) + little(rate) + little(rate &* UInt32(channels) &* 4)
        bytes += little(channels &* 4) + little(UInt16(32)) + Array("data".utf8) + little(length) + data
        try FileWriter.replace(folder.file("tone.wav"), with: bytes)
        return try SoundFile(folder.file("tone.wav"))
    }

    @LoopActor private func complaint(of path: String) -> String? {
        do throws(SoundFileError) {
            _ = try SoundFile(path)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test @LoopActor func aFileIsReadInPiecesAndAgain() throws {
        let samples = (0..<100).map { Float($0) / 100 }
        let file = try open(samples, channels: 2)
        #expect(file.rate == 8_000)
        #expect(file.channels == 2)
        #expect(file.piece(frames: 30) == Array(samples[..<60]))
        #expect(file.piece(frames: 30) == Array(samples[60...]))
        #expect(file.piece(frames: 30).isEmpty)
        unlink(folder.file("tone.wav"))
        file.rewind()
        #expect(file.piece(frames: 50) == samples)
    }

    @Test @LoopActor func samplesStayWithinTheirBounds() throws {
        let file = try open([.nan, .infinity, -.infinity, 1e30, -7, 0.5, .signalingNaN])
        #expect(file.piece(frames: 7) == [0, 1, -1, 1, -1, 0.5, 0])
    }

    @Test @LoopActor func aFileThatEndsEarlyIsPlayedToItsEnd() throws {
        let file = try open([0.5, 0.25, 0.125], claimed: 4_000_000_000)
        #expect(file.piece(frames: 100).starts(with: [0.5, 0.25]))
        #expect(file.piece(frames: 100).isEmpty)
    }

    @Test(arguments: [(UInt32(8_000), UInt16(9)), (3_999, 1), (192_001, 1), (2_000_000_000, 1)])
    @LoopActor func strangeFormatsAreRefused(rate: UInt32, channels: UInt16) {
        #expect(throws: SoundFileError.self) {
            try open([Float](repeating: 0.5, count: 90), rate: rate, channels: channels)
        }
    }

    @Test @LoopActor func aFileWithoutSamplesIsRefused() {
        #expect(throws: SoundFileError.self) { try open([]) }
    }

    @Test @LoopActor func onlyRegularFilesOfAFairSizeAreOpened() throws {
        #expect(complaint(of: folder.file("missing")) == "cannot be read: stat: no such file or directory")
        #expect(complaint(of: folder.file(""))?.hasPrefix("cannot be read: ") == true)
        mkfifo(folder.file("fifo"), 0o600)
        #expect(complaint(of: folder.file("fifo"))?.hasPrefix("cannot be read: ") == true)
        #expect(complaint(of: "/dev/zero")?.hasPrefix("cannot be read: ") == true)
        #expect(complaint(of: "tone.wav") == "cannot be read: it is not an absolute path")
        #expect(complaint(of: "") == "cannot be read: it is not an absolute path")
        try folder.write("", to: "large.wav")
        truncate(folder.file("large.wav"), off_t(SoundFile.maximumBytes) + 1)
        #expect(complaint(of: folder.file("large.wav")) == "is larger than 16 MiB")
        try folder.write("RIFF of nothing", to: "text.wav")
        #expect(complaint(of: folder.file("text.wav"))?.hasPrefix("is not a valid sound file: ") == true)
        try folder.write("", to: "empty.mp3")
        #expect(complaint(of: folder.file("empty.mp3"))?.hasPrefix("is not a valid sound file: ") == true)
    }

    @Test @LoopActor func changedBytesNeverTrap() throws {
        _ = try open((0..<4_000).map { Float(sin(Double($0))) })
        let path = folder.file("tone.wav")
        let bytes = try FileReader(path).bytes(at: 0, count: 100_000)
        var random = SeededGenerator()
        for _ in 0..<300 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                changed[Int.random(in: 0..<60, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try FileWriter.replace(path, with: changed)
            guard let file = try? SoundFile(path) else { continue }
            for _ in 0..<8 { #expect(file.piece(frames: 1_000).allSatisfy { abs($0) <= 1 }) }
        }
    }
}
