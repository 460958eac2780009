// Finds the keys and values of XML.

/// Reads the texts of elements, attributes, and the keys of property lists. What is no XML does no harm.
///
/// A parser must end at the first fault. This one goes on, keeps one record of millions, and knows the line of each.
struct XMLScanner: PairScanner {
    private enum Place { case text, tag, comment, data }

    private var place = Place.text
    /// The last two bytes of a comment or of text without references.
    private var latest: [UInt8] = []
    private var bytes: [UInt8] = []
    /// The text before the tag.
    private var text: [UInt8] = []
    /// The name of the element that has begun last, or the key before it.
    private var key = ""
    private var propertyKey: [UInt8] = []

    private static let comment = Array("!--".utf8), data = Array("![CDATA[".utf8)
    /// The elements that end a record.
    private static let records: Set<String> = ["contact", "dict", "entry", "item", "record", "row", "card"]

    mutating func read(_ byte: UInt8, into pairs: inout ListPairs) throws {
        switch place {
        case .comment, .data:
            let end = place == .data ? UInt8(ascii: "]") : UInt8(ascii: "-")
            if byte == UInt8(ascii: ">"), latest == [end, end] {
                if place == .data { bytes.removeLast(min(2, bytes.count)) }
                place = .text
            } else {
                latest = latest.suffix(1) + [byte]
                // What has a meaning in text has none here.
                if place == .data { append(byte == UInt8(ascii: "&") ? Array("&amp;".utf8) : [byte]) }
            }
        case .text where byte == UInt8(ascii: "<"):
            place = .tag
            text = bytes
            bytes = []
        case .tag where byte == UInt8(ascii: "<"): bytes = []
        case .tag where byte == UInt8(ascii: ">"):
            place = .text
            if !key.isEmpty { readText(into: &pairs) }
            try readTag(into: &pairs)
            bytes = []
        case .tag:
            append([byte])
            if bytes == Self.comment || bytes == Self.data {
                place = bytes == Self.data ? .data : .comment
                (bytes, latest) = (text, [])
            }
        case .text: append([byte])
        }
    }

    private mutating func append(_ new: [UInt8]) {
        if bytes.count <= ListPairs.maximumText { bytes += new }
    }

    private mutating func readText(into pairs: inout ListPairs) {
        let text = Self.plain(text)
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

    private static let signs = ["lt": "<", "gt": ">", "quot": "\"", "apos": "'", "amp": "&"]

    /// Returns text without the references to what has a meaning of its own.
    private static func plain(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let bytes = Array(bytes)
        guard bytes.contains(UInt8(ascii: "&")) else { return bytes }
        // A text that is no UTF-8 is in the character set of Western Windows.
        let text = ListDecoder.text(bytes).replacing(/&(?:#(x?)([0-9A-Fa-f]{1,8})|([a-z]{2,4}));/) { match in
            if let digits = match.2 {
                let code = UInt32(digits, radix: match.1 == "x" ? 16 : 10)
                return code.flatMap(Unicode.Scalar.init).map { String($0) } ?? " "
            }
            return match.3.flatMap { signs[String($0)] } ?? String(match.0)
        }
        return Array(text.utf8)
    }
}
