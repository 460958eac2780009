// Parses a list piece by piece, as it is read from the disk.

/// The format of a list.
enum ListFormat {
    /// Numbers to block, one or more per line. Text after a `#` is a comment.
    case text
    /// A table: numbers with a label, to name; without a label, to block. Fields are separated by commas, semicolons, tabs or
    /// bars, as in the first line, and may be quoted and contain line breaks. The columns are found by their headings, or by
    /// what is in them.
    case csv
    /// Objects, elements or cards with numbers, and perhaps with a label.
    case json, xml, card
}

/// Reads a list piece by piece.
protocol ListReader {
    /// - Parameter bytes: UTF-8, or any other bytes.
    /// - Throws: the errors of the body that takes the entries.
    mutating func parse(_ bytes: [UInt8]) throws
    /// Reads what the end of the file ends.
    mutating func finish() throws
}

/// Parses the lines of one list and returns the entries of its records. A record that is invalid is left out with a
/// complaint, which names the line in which it begins, and costs no other one. The input may be any bytes; the parser keeps
/// one record at a time.
struct ListParser: ListReader {
    /// The maximum length of a line, and of all lines of a record together, in bytes. Some programs write all numbers in one
    /// line of text.
    static let maximumLine = 4_096
    static let maximumTextLine = 1 << 20
    /// The maximum length of a label, in bytes.
    static let maximumLabel = 1_024

    private let format: ListFormat
    private let countryCode: String?
    private let body: (ListEntry) throws -> Void
    private let complain: (ListComplaint) -> Void
    private var line: [UInt8] = []
    private var number = 1
    /// Whether the rest of the line is left out.
    private var isTooLong = false
    private var records: RecordReader?
    private var delimiter: UInt8?
    private var columns = ListColumns()
    /// How many columns the headings have, or the first record; nil before it.
    private var width: Int?
    /// The complaint of the first record, which may be a heading in another language.
    private var firstComplaint: ListComplaint?
    private var hasRecord = false
    /// The lines of the record that has not ended yet.
    private var open: [(line: Int, bytes: [UInt8])] = []

    /// - Parameter countryCode: what numbers begin with that have no country code; nil if they are invalid.
    init(
        _ format: ListFormat, countryCode: String? = nil, complain: @escaping (ListComplaint) -> Void,
        _ body: @escaping (ListEntry) throws -> Void
    ) {
        self.format = format
        self.countryCode = countryCode
        self.complain = complain
        self.body = body
    }

    mutating func parse(_ bytes: [UInt8]) throws {
        for byte in bytes {
            if byte == 0x0A {
                try finishLine()
            } else if line.count < maximum {
                line.append(byte)
            } else {
                isTooLong = true
            }
        }
    }

    private var maximum: Int { format == .text ? Self.maximumTextLine : Self.maximumLine }

    /// Parses the last line, which may end with the file.
    mutating func finish() throws {
        if !line.isEmpty || isTooLong { try finishLine() }
        while !open.isEmpty { try giveUpRecord("a quoted field does not end") }
        if let firstComplaint { complain(firstComplaint) }
    }

    private mutating func finishLine() throws {
        defer { number += 1 }
        guard !isTooLong else {
            isTooLong = false
            line.removeAll()
            return complain(ListComplaint(line: number, text: "a line of more than \(maximum) bytes"))
        }
        if line.last == 0x0D { line.removeLast() }
        if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        switch format {
        case .text: try readText()
        case .csv, .json, .xml, .card: try readRecord(number, line)
        }
        line.removeAll(keepingCapacity: true)
    }

    // MARK: text

    private mutating func readText() throws {
        if countryCode == nil, let plain = ListNumbers(plain: line) {
            return try body(ListEntry(numbers: plain, label: nil))
        }
        let text = ListDecoder.text(line)
        for written in TextLine.numbers(in: text) {
            do throws(ListProblem) {
                try give(ListEntry(numbers: ListNumbers(written, countryCode: countryCode), label: nil))
            } catch {
                try complain(error, number)
            }
        }
    }

    // MARK: tables

    private mutating func readRecord(_ number: Int, _ line: [UInt8]) throws {
        if open.isEmpty, line.allSatisfy(Self.isBlank) || line.first == UInt8(ascii: "#") { return }
        let delimiter = delimiter ?? Self.delimiter(in: line)
        self.delimiter = delimiter
        guard let records = records ?? RecordReader(delimiter) else {
            return complain(ListComplaint(line: number, text: "no memory"))
        }
        self.records = records
        let line = Self.withoutFormulas(line, delimiter)
        open.append((number, line))
        guard open.reduce(0, { $0 + $1.bytes.count + 1 }) <= Self.maximumLine + 1 else {
            return try giveUpRecord("a quoted field does not end within \(Self.maximumLine) bytes")
        }
        switch records.append(line) {
        case .record: try readFields(records)
        case .goesOn: break
        case .misplacedQuote: try giveUpRecord("a quote within a field, expected it around the field or doubled")
        case .noMemory: try giveUpRecord("no memory")
        }
    }

    /// Leaves out the first line of the open record, and reads the others as records of their own.
    private mutating func giveUpRecord(_ reason: String) throws {
        let lines = open
        records = nil
        open = []
        guard let first = lines.first else { return }
        complain(ListComplaint(line: first.line, text: reason))
        for line in lines.dropFirst() { try readRecord(line.line, line.bytes) }
    }

    private mutating func readFields(_ records: RecordReader) throws {
        let start = open.first?.line ?? number
        open = []
        // Once the columns are known, the others are not read, unless there are more than there should be.
        let isOdd = width != records.count
        var fields = (0..<records.count).map { place in
            let isOfUse = isOdd || columns.label == nil || place == columns.number || place == columns.label
            return isOfUse ? ListDecoder.text(records.field(place)) : ""
        }
        defer { hasRecord = true }
        if columns.number == nil, let headings = ListColumns(headings: fields) {
            columns = headings
            width = fields.count
            return
        }
        do throws(ListProblem) {
            if isOdd, delimiter == UInt8(ascii: ",") {
                fields = try SpreadsheetNumber.joined(fields, at: columns.number, width: width)
            }
            columns.find(in: fields)
            guard let column = columns.number, fields.indices.contains(column), !fields[column].isEmpty else {
                throw .wrong("no number, expected digits as in +46701234567")
            }
            let numbers = try ListNumbers(fields[column], countryCode: countryCode)
            let label = columns.label.flatMap { fields.indices.contains($0) ? fields[$0] : nil }
            try give(ListEntry(numbers: numbers, label: Self.label(label ?? "")))
            width = width ?? fields.count
            firstComplaint = nil
        } catch {
            if !hasRecord, case .wrong(let text) = error {
                firstComplaint = ListComplaint(line: start, text: text)
            } else {
                try complain(error, start)
            }
        }
    }

    private func complain(_ problem: ListProblem, _ line: Int) throws {
        switch problem {
        case .wrong(let text): complain(ListComplaint(line: line, text: text))
        case .body(let error): throw error
        }
    }

    private func give(_ entry: ListEntry) throws(ListProblem) {
        do {
            try body(entry)
        } catch {
            throw .body(error)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Returns a line in which the fields are no formulas: spreadsheets keep the zeros of a number with `="0046"`.
    private static func withoutFormulas(_ line: [UInt8], _ delimiter: UInt8) -> [UInt8] {
        guard line.contains(UInt8(ascii: "=")) else { return line }
        return line.indices.filter { place in
            let isFirst = place == 0 || line[place - 1] == delimiter
            return !(isFirst && line[place] == UInt8(ascii: "=") && line[(place + 1)...].first == UInt8(ascii: "\""))
        }.map { line[$0] }
    }

    /// Returns the first separator in the line; a comma if there is none. The comma of a number is no separator.
    private static func delimiter(in line: [UInt8]) -> UInt8 {
        let first = line.prefix { $0 == UInt8(ascii: ",") || !TextLine.separators.contains($0) }
        if first.count < line.count, first.contains(UInt8(ascii: ",")),
            ListColumns.likeness(of: ListDecoder.text(first)) == 2
        {
            return line[first.count]
        }
        var isQuoted = false
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, TextLine.separators.contains(byte) { return byte }
        }
        return UInt8(ascii: ",")
    }

    /// Returns the label as it will be shown; nil if it is empty.
    static func label(_ text: String) throws(ListProblem) -> String? {
        guard text.utf8.count <= maximumLabel else {
            throw .wrong("a label of \(text.utf8.count) bytes, expected at most \(maximumLabel)")
        }
        let scalars = text.unicodeScalars.map { $0 == "\n" ? " " : $0 }.filter { scalar in
            ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                && !scalar.properties.isBidiControl
        }
        var label = String(String.UnicodeScalarView(scalars))[...]
        label = label.drop(while: \.isWhitespace)
        while label.last?.isWhitespace == true { label.removeLast() }
        return label.isEmpty ? nil : String(label.prefix(256))
    }
}
