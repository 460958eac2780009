// Turns the bytes of a file into UTF-8 with line feeds, piece by piece.

/// Reads UTF-8 and UTF-16, with a byte order mark or without, and old files whose lines end with a carriage return alone.
struct ListDecoder {
    private enum Encoding { case plain, bigEndian, littleEndian }

    private let encoding: Encoding
    private let endsWithReturn: Bool
    /// The bytes of UTF-16 that wait for the rest.
    private var rest: [UInt8] = []

    /// - Parameter beginning: the first bytes of the file, which are decoded later.
    init(_ beginning: some Collection<UInt8>) {
        let bytes = Array(beginning.prefix(4_096))
        encoding = Self.encoding(of: bytes)
        endsWithReturn = bytes.contains(0x0D) && !bytes.contains(0x0A)
    }

    private static func encoding(of bytes: [UInt8]) -> Encoding {
        if bytes.starts(with: [0xFE, 0xFF]) { return .bigEndian }
        if bytes.starts(with: [0xFF, 0xFE]) { return .littleEndian }
        // Digits in UTF-16 have a zero byte each; text in another encoding has none.
        guard bytes.count >= 4, bytes.contains(0) else { return .plain }
        let zeros = bytes.indices.filter { bytes[$0] == 0 }
        if zeros.allSatisfy({ $0 % 2 == 0 }) { return .bigEndian }
        return zeros.allSatisfy { $0 % 2 == 1 } ? .littleEndian : .plain
    }

    mutating func decode(_ piece: some Sequence<UInt8>) -> [UInt8] {
        var bytes = Array(piece)
        if encoding != .plain {
            let all = rest + bytes
            var units: [UInt16] = []
            for place in stride(from: 0, to: all.count - all.count % 2, by: 2) {
                let pair = encoding == .bigEndian ? (all[place], all[place + 1]) : (all[place + 1], all[place])
                units.append(UInt16(pair.0) << 8 | UInt16(pair.1))
            }
            rest = all.count % 2 == 0 ? [] : Array(all.suffix(1))
            if let last = units.last, UTF16.isLeadSurrogate(last) {
                units.removeLast()
                rest = Array(all[(2 * units.count)...])
            }
            bytes = Array(String(decoding: units, as: UTF16.self).utf8)
        }
        return endsWithReturn ? bytes.map { $0 == 0x0D ? 0x0A : $0 } : bytes
    }

    /// Returns a line as text. One that is no UTF-8 is in the character set of Western Windows.
    static func text(_ line: some Sequence<UInt8>) -> String {
        let bytes = Array(line)
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(
            String.UnicodeScalarView(bytes.map { $0 < 0x80 || $0 >= 0xA0 ? Unicode.Scalar($0) : windows[$0] ?? " " }))
    }

    /// The signs of Windows-1252 that are not those of Latin-1.
    private static let windows: [UInt8: Unicode.Scalar] = [
        0x80: "€", 0x82: "‚", 0x83: "ƒ", 0x84: "„", 0x85: "…", 0x86: "†", 0x87: "‡", 0x88: "ˆ", 0x89: "‰", 0x8A: "Š",
        0x8B: "‹", 0x8C: "Œ", 0x8E: "Ž", 0x91: "‘", 0x92: "’", 0x93: "“", 0x94: "”", 0x95: "•", 0x96: "–", 0x97: "—",
        0x98: "˜", 0x99: "™", 0x9A: "š", 0x9B: "›", 0x9C: "œ", 0x9E: "ž", 0x9F: "Ÿ",
    ]
}
