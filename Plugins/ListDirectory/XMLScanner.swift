// Finds the keys and values of XML.

/// Reads the texts of elements, attributes, and the keys of property lists. What is no XML does no harm.
struct XMLScanner: PairScanner {
    private var isTag = false
    private var bytes: [UInt8] = []
    /// The name of the element that has begun last, or the key before it.
    private var key = ""
    private var propertyKey: [UInt8] = []

    /// The elements that end a record.
    private static let records: Set<String> = ["contact", "dict", "entry", "item", "record", "row", "card"]

    mutating func read(_ byte: UInt8, into pairs: inout ListPairs) throws {
        switch byte {
        case UInt8(ascii: "<"):
            isTag = true
            if !key.isEmpty { readText(into: &pairs) }
            bytes = []
        case UInt8(ascii: ">") where isTag:
            isTag = false
            try readTag(into: &pairs)
            bytes = []
        default:
            if bytes.count <= ListPairs.maximumText { bytes.append(byte) }
        }
    }

    private mutating func readText(into pairs: inout ListPairs) {
        let text = Self.plain(bytes)
        if key == "key" {
            propertyKey = text
        } else if !propertyKey.isEmpty {
            pairs.add(String(decoding: propertyKey, as: UTF8.self), text)
            propertyKey = []
        } else {
            pairs.add(key, text)
        }
        key = ""
    }

    private mutating func readTag(into pairs: inout ListPairs) throws {
        guard let first = bytes.first, first != UInt8(ascii: "!"), first != UInt8(ascii: "?") else { return }
        let name = bytes.split(whereSeparator: { Self.isBlank($0) || $0 == UInt8(ascii: "/") }).first.map {
            String(decoding: $0, as: UTF8.self).lowercased()
        }
        if first == UInt8(ascii: "/") {
            if let name, Self.records.contains(name) { try pairs.endRecord() }
            return
        }
        let hasNumber = readAttributes(into: &pairs)
        let isEmpty = bytes.last == UInt8(ascii: "/")
        if hasNumber, isEmpty { try pairs.endRecord() }
        key = isEmpty ? "" : name ?? ""
    }

    /// - Returns: whether an attribute is a number.
    private func readAttributes(into pairs: inout ListPairs) -> Bool {
        var hasNumber = false
        var rest = bytes[...].drop { !Self.isBlank($0) }
        while let equal = rest.firstIndex(of: UInt8(ascii: "=")) {
            let name = String(decoding: rest[..<equal], as: UTF8.self).lowercased().filter { !$0.isWhitespace }
            rest = rest[(equal + 1)...].drop(while: Self.isBlank)
            guard let quote = rest.first, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(quote),
                let end = rest.dropFirst().firstIndex(of: quote)
            else { break }
            pairs.add(name, Self.plain(rest[(rest.startIndex + 1)..<end]))
            hasNumber = hasNumber || ListColumns.isNumber(name)
            rest = rest[(end + 1)...]
        }
        return hasNumber
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Returns text without the references to what has a meaning of its own.
    private static func plain(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        guard bytes.contains(UInt8(ascii: "&")) else { return bytes }
        var text = String(decoding: bytes, as: UTF8.self)
        for (name, sign) in [("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"), ("#43", "+"), ("amp", "&")] {
            text = text.replacing("&\(name);", with: sign)
        }
        return Array(text.utf8)
    }
}
