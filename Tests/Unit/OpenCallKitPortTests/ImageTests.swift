// UIImage: where it looks, what it takes, and a provider's icon made with it.

import OpenCallKitPort
import OpenCallKitTestKit
import Testing

/// The first bytes of a PNG image of a size.
private func png(_ width: UInt32, _ height: UInt32) -> Data {
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
    for side in [width, height] { bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) } }
    return Data(bytes + [8, 6, 0, 0, 0])
}

@Suite struct ImageTests {
    @Test func sizeAndScale() throws {
        let image = try #require(UIImage(data: png(80, 40), scale: 2))
        #expect(image.size == CGSize(width: 40, height: 20) && image.scale == 2)
        #expect(image.pngData() == png(80, 40))
        #expect(UIImage(data: png(80, 40))?.size == CGSize(width: 80, height: 40))
    }

    @Test(arguments: [Data(), Data("GIF89a".utf8), png(40, 40).prefix(23), png(0, 40), png(40, 0)])
    func noImage(_ data: Data) {
        #expect(UIImage(data: data) == nil)
    }

    @Test func slicesOfDataAreRead() {
        let padded = Data([1, 2, 3]) + png(7, 9)
        #expect(UIImage(data: padded.dropFirst(3))?.size == CGSize(width: 7, height: 9))
    }

    @Test func files() throws {
        let folder = try Folder(["a@3x.png": png(120, 120), "text.png": Data("text".utf8)])
        #expect(UIImage(contentsOfFile: folder.path("a@3x.png"))?.size == CGSize(width: 40, height: 40))
        #expect(UIImage(contentsOfFile: folder.path("text.png")) == nil)
        #expect(UIImage(contentsOfFile: folder.path("missing.png")) == nil)
        #expect(UIImage(systemName: "phone") == nil)
    }

    @Test func resources() async throws {
        let folder = try Folder([
            "IconMask@2x.png": png(80, 80), "both.png": png(40, 40), "both@2x.png": png(80, 80),
            "photo.jpg": Data([0xFF, 0xD8]),
        ])
        try await TestHost.run(resourceDirectory: folder.path("")) { _ in
            #expect(UIImage(named: "IconMask")?.pngData() == png(80, 80))
            #expect(UIImage(named: "IconMask")?.scale == 2)
            #expect(UIImage(named: "IconMask@2x.png")?.size == CGSize(width: 40, height: 40))
            #expect(UIImage(named: "both")?.scale == 1)
            #expect(UIImage(named: "photo.jpg") == nil && UIImage(named: "missing") == nil)
        }
        #expect(UIImage(named: "IconMask") == nil, "a test program has no resources of its own")
    }
}
