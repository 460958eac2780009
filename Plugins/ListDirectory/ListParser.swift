// Parses a list piece by piece, as it is read from the disk.

/// The format of a list.
enum ListFormat {
    /// One number per line, to block. Text after a `#` is a comment.
    case text
    /// A number with a label, to name; without a label, to block. Fields are separated by commas, semicolons or tabs,
    /// as in the first line, and may be quoted and contain line breaks. A first record that begins with `number` is a
    /// heading. An error names the line in which its record begins.
    case csv
}

/// Parses the bytes of one list and returns the entries of its records. The input may be any bytes; the parser keeps
/// one record at a time.
struct ListParser {
    /// The maximum length of a line, and of all lines of a record together, in bytes.
    static let maximumLine = 4_096
    /// The maximum length of a label, in bytes.
    static let maximumLabel = 1_024

    private let format: ListFormat
    private let body: (ListEntry) throws -> Void
    private var line: [UInt8] = []
    private var number = 1
    private var records: RecordReader?
    private var hasRecord = false
    /// The record that has not ended yet.
    private var open: (line: Int, size: Int)?

    init(_ format: ListFormat, _ body: @escaping (ListEntry) throws -> Void) {
        self.format = format
        self.body = body
    }

    /// - Throws: `ListComplaint`, and the errors of the body.
    mutating func parse(_ bytes: some Sequence<UInt8>) throws {
        for byte in bytes {
            if byte == 0x0A {
                try finishLine()
            } else if line.count < Self.maximumLine {
                line.append(byte)
            } else {
                throw ListComplaint(line: number, text: "a line of more than \(Self.maximumLine) bytes")
            }
        }
    }

    /// Parses the last line, which may end with the file.
    mutating func finish() throws {
        if !line.isEmpty { try finishLine() }
        if let open { throw ListComplaint(line: open.line, text: "a quoted field does not end") }
    }

    private mutating func finishLine() throws {
        defer {
            line.removeAll(keepingCapacity: true)
            number += 1
        }
        if line.last == 0x0D { line.removeLast() }
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        do throws(ListProblem) {
            switch format {
            case .text: try readText()
            case .csv: try readRecord()
            }
        } catch {
            switch error {
            case .wrong(let text): throw ListComplaint(line: open?.line ?? number, text: text)
            case .body(let error): throw error
            }
        }
    }

    private func readText() throws(ListProblem) {
        let text = line[..<(line.firstIndex(of: UInt8(ascii: "#")) ?? line.endIndex)]
        guard !text.allSatisfy(Self.isBlank) else { return }
        try give(ListEntry(number: Self.number(text), label: nil))
    }

    private mutating func readRecord() throws(ListProblem) {
        if open == nil, line.allSatisfy(Self.isBlank) || line.first == UInt8(ascii: "#") { return }
        guard let records = records ?? RecordReader(Self.delimiter(in: line)) else { throw .wrong("no memory") }
        self.records = records
        let (start, size) = (open?.line ?? number, (open?.size ?? 0) + line.count + 1)
        guard size <= Self.maximumLine + 1 else {
            throw .wrong("a quoted field does not end within \(Self.maximumLine) bytes")
        }
        switch records.append(line) {
        case .record: break
        case .goesOn: return open = (start, size)
        case .misplacedQuote: throw .wrong("a quote within a field, expected it around the field or doubled")
        case .noMemory: throw .wrong("no memory")
        }
        // The entry's line is kept until the entry has been read.
        open = (start, size)
        let first = records.field(0)
        let isHeading = !hasRecord && String(decoding: first, as: UTF8.self).lowercased().hasPrefix("number")
        hasRecord = true
        if !isHeading {
            guard (2..<max(2, records.count)).allSatisfy({ records.field($0).isEmpty }) else {
                throw .wrong("\(records.count) fields, expected a number and a label")
            }
            try give(ListEntry(number: Self.number(first[...]), label: Self.label(records.field(1))))
        }
        open = nil
    }

    private func give(_ entry: ListEntry) throws(ListProblem) {
        do {
            try body(entry)
        } catch {
            throw .body(error)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns the first separator in the line; a comma if there is none.
    private static func delimiter(in line: [UInt8]) -> UInt8 {
        var isQuoted = false
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].contains(byte) { return byte }
        }
        return UInt8(ascii: ",")
    }

    /// Parses digits that begin with the country code, with or without `+` or `00` before it; separators are ignored.
    private static func number(_ text: ArraySlice<UInt8>) throws(ListProblem) -> Int64 {
        var digits = 0
        var value: Int64 = 0
        var zeros = 0
        var hasSign = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if byte == UInt8(ascii: "0"), value == 0 { zeros += 1 }
                digits += 1
                guard digits <= 20, value < 100_000_000_000_000_000 else {
                    throw .wrong("'\(shown(text))' is too long for a number")
                }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "+") where digits == 0 && !hasSign: hasSign = true
            case 0x20, 0x09, UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "."),
                UInt8(ascii: "/"):
                break
            default: throw .wrong("invalid number '\(shown(text))', expected digits as in +46701234567")
            }
        }
        guard value > 0 else { throw .wrong("invalid number '\(shown(text))', expected digits as in +46701234567") }
        guard zeros == 0 || (zeros == 2 && !hasSign) else {
            throw .wrong("'\(shown(text))' has no country's code, expected one as in +46701234567")
        }
        return value
    }

    /// Returns the label as it will be shown; nil if it is empty.
    private static func label(_ bytes: [UInt8]) throws(ListProblem) -> String? {
        guard bytes.count <= maximumLabel else {
            throw .wrong("a label of \(bytes.count) bytes, expected at most \(maximumLabel)")
        }
        let text = String(decoding: bytes.map { $0 == 0x0A ? 0x20 : $0 }, as: UTF8.self)
        let scalars = text.unicodeScalars.filter { scalar in
            ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                && !scalar.properties.isBidiControl
        }
        var label = String(String.UnicodeScalarView(scalars))[...]
        label = label.drop(while: \.isWhitespace)
        while label.last?.isWhitespace == true { label.removeLast() }
        return label.isEmpty ? nil : String(label.prefix(256))
    }

    /// Returns text for an error message.
    private static func shown(_ text: ArraySlice<UInt8>) -> String {
        let scalars = String(decoding: text.prefix(80), as: UTF8.self).unicodeScalars.filter {
            !$0.properties.isDefaultIgnorableCodePoint && $0.properties.generalCategory != .control
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// Why a line is invalid.
private enum ListProblem: Error {
    case wrong(String)
    case body(any Error)
}
