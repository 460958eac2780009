// Reads a picture's size from arbitrary bytes.

import Files
import Testing

@Suite struct PNGOutlineTests {
    /// The smallest PNG: header, an empty data chunk, end.
    private func picture(width: UInt8 = 80, height: UInt8 = 40) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0, width, 0, 0, 0, height, 8, 4, 0, 0, 0, 1, 2, 3, 4] + [0, 0, 0, 0] + Array("IDAT".utf8)
            + [1, 2, 3, 4, 0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    }

    @Test func size() throws {
        let outline = try #require(PNGOutline(picture()))
        #expect(outline.width == 80 && outline.height == 40)
    }

    @Test func nonsense() {
        let whole = picture()
        for length in 0..<whole.count { #expect(PNGOutline(Array(whole.prefix(length))) == nil) }
        #expect(PNGOutline(picture(width: 0)) == nil)
        #expect(PNGOutline(picture(height: 0)) == nil)
        #expect(PNGOutline([UInt8](repeating: 0xFF, count: 100)) == nil)
    }
}
