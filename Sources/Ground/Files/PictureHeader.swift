// PictureHeader: what the first bytes of a picture say of it.

/// The format and size of a PNG or JPEG, read from its header. What follows the header is not looked at.
public struct PictureHeader: Sendable, Hashable {
    public enum Format: String, Sendable {
        case png, jpeg
    }

    public let format: Format
    /// In pixels, at least 1.
    public let width, height: Int

    /// - Returns: nil if the bytes do not begin with the header of a PNG or JPEG.
    public init?(_ bytes: [UInt8]) {
        let size: (width: Int, height: Int)?
        if bytes.starts(with: Self.png) {
            format = .png
            size = Self.sizeOfPNG(bytes)
        } else {
            format = .jpeg
            size = Self.sizeOfJPEG(bytes)
        }
        guard let size, size.width > 0, size.height > 0 else { return nil }
        (width, height) = size
    }

    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Its first chunk is IHDR, which begins with the size.
    private static func sizeOfPNG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        return (number(in: bytes[16..<20]), number(in: bytes[20..<24]))
    }

    /// The size is in the start-of-frame segment (ITU-T T.81, B.2.2), after segments of other kinds.
    private static func sizeOfJPEG(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { return nil }
        var place = 2
        while place + 9 <= bytes.count, bytes[place] == 0xFF {
            let marker = bytes[place + 1]
            // A marker may be preceded by any number of fill bytes.
            if marker == 0xFF {
                place += 1
                continue
            }
            let length = number(in: bytes[(place + 2)..<(place + 4)])
            let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
            if isFrame {
                return (number(in: bytes[(place + 7)..<(place + 9)]), number(in: bytes[(place + 5)..<(place + 7)]))
            }
            guard length >= 2, (0xC0...0xFE).contains(marker), !(0xD0...0xDA).contains(marker) else { return nil }
            place += 2 + length
        }
        return nil
    }

    private static func number(in bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
