// PNGSize: the size of a PNG image, from its header.

/// The width and the height in the header of a PNG file (ISO/IEC 15948): the signature, then the chunk IHDR.
struct PNGSize {
    let width: UInt32
    let height: UInt32

    /// - Returns: nil if the bytes do not begin as a PNG file does, or if a side is 0.
    init?(_ data: Data) {
        let header = Array(data.prefix(24))
        let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
        guard header.count == 24, header.starts(with: start) else { return nil }
        width = header[16..<20].reduce(0) { $0 << 8 | UInt32($1) }
        height = header[20..<24].reduce(0) { $0 << 8 | UInt32($1) }
        guard width > 0, height > 0 else { return nil }
    }
}
