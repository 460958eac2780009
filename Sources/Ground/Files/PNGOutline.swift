// PNGOutline: whether bytes are a whole PNG image, and its size.

/// The size of a PNG image.
public struct PNGOutline: Sendable {
    /// In pixels, at least 1.
    public let width, height: Int

    /// - Returns: nil unless the bytes begin with a PNG's header and end with its last chunk.
    public init?(_ bytes: [UInt8]) {
        guard let header = PictureHeader(bytes), header.format == .png, bytes.count >= 45,
            bytes.suffix(8).prefix(4).elementsEqual("IEND".utf8)
        else { return nil }
        (width, height) = (header.width, header.height)
    }
}
