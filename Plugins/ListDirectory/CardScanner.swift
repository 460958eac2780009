// Finds the names and numbers of vCards.

/// Reads the properties FN and TEL of any version, with their groups and folded lines (RFC 6350).
struct CardScanner: PairScanner {
    /// The property that may go on in the next line.
    private var property: [UInt8] = []
    private var line: [UInt8] = []
    /// The number of the line in which the property begins.
    private var place = 1

    mutating func read(_ byte: UInt8, into pairs: inout ListPairs) throws {
        guard byte == 0x0A else {
            if byte != 0x0D, line.count <= ListPairs.maximumText { line.append(byte) }
            return
        }
        if let first = line.first, first == 0x20 || first == 0x09 {
            if property.count <= ListPairs.maximumText { property += line.dropFirst() }
        } else {
            try readProperty(into: &pairs)
            (property, place) = (line, pairs.line - 1)
        }
        line = []
    }

    private mutating func readProperty(into pairs: inout ListPairs) throws {
        defer { property = [] }
        guard let colon = property.firstIndex(of: UInt8(ascii: ":")) else { return }
        let head = String(decoding: property[..<colon], as: UTF8.self).uppercased()
        let name = head.prefix { $0 != ";" }.split(separator: ".").last ?? ""
        let value = ListDecoder.text(property[(colon + 1)...]).replacing("\\,", with: ",").replacing("\\;", with: ";")
        switch name {
        case "BEGIN": try pairs.beginRecord()
        case "END": try pairs.endRecord()
        case "FN" where !head.contains("QUOTED-PRINTABLE"): pairs.add("label", value.utf8)
        case "TEL": pairs.add("number", value.prefix { $0 != ";" }.utf8, line: place)
        default: break
        }
    }
}
