// The headers of pictures.

import Files
import TestSupport
import Testing

@Suite struct PictureHeaderTests {
    private static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 1, 0, 0, 0, 0, 7, 8, 6, 0, 0, 0, 1, 2, 3, 4]
    /// A comment, fill bytes, a table, and the frame.
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xFE, 0, 4, 1, 2, 0xFF, 0xFF, 0xFF, 0xC4, 0, 3, 9]
        + [0xFF, 0xC2, 0, 11, 8, 0, 5, 1, 2, 3, 0, 0]

    @Test func aPNGTellsItsSize() throws {
        let header = try #require(PictureHeader(Self.png))
        #expect((header.format, header.width, header.height) == (.png, 256, 7))
    }

    @Test func aJPEGTellsItsSizeAfterOtherSegments() throws {
        let header = try #require(PictureHeader(Self.jpeg))
        #expect((header.format, header.width, header.height) == (.jpeg, 258, 5))
    }

    @Test func whatIsTruncatedIsNoPictureAndNothingTraps() {
        for count in 0..<33 { #expect(PictureHeader(Array(Self.png.prefix(count))) == nil) }
        for count in 0..<24 { #expect(PictureHeader(Array(Self.jpeg.prefix(count))) == nil) }
    }

    @Test func sizesOfZeroAndOtherFormatsAreInvalid() {
        var empty = Self.png
        empty[18] = 0
        #expect(PictureHeader(empty) == nil)
        #expect(PictureHeader(Array("GIF89a".utf8) + [UInt8](repeating: 1, count: 60)) == nil)
        #expect(PictureHeader(Array(repeating: 0xFF, count: 100)) == nil)
        // A segment that is shorter than its own length, and one without a frame.
        #expect(PictureHeader([0xFF, 0xD8, 0xFF, 0xE0, 0, 1] + [UInt8](repeating: 0xFF, count: 40)) == nil)
        #expect(PictureHeader([0xFF, 0xD8, 0xFF, 0xDA, 0, 3] + [UInt8](repeating: 0xFF, count: 40)) == nil)
    }

    @Test func randomBytesTrapNowhere() {
        var generator = SeededGenerator()
        for start in [Self.png, Self.jpeg] {
            for _ in 0..<2_000 {
                var bytes = start
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                _ = PictureHeader(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
            }
        }
    }
}
