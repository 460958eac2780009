// Collects what records of keys and values say of numbers.

/// A format whose records have keys and values.
protocol PairScanner {
    /// Passes the pairs that end with this byte, and the ends of records, to `pairs`.
    mutating func read(_ byte: UInt8, into pairs: inout ListPairs) throws
}

/// Reads a list in such a format: each record has numbers, and perhaps a label.
struct PairReader<Scanner: PairScanner>: ListReader {
    private var scanner: Scanner
    private var pairs: ListPairs

    init(_ scanner: Scanner, _ pairs: ListPairs) { (self.scanner, self.pairs) = (scanner, pairs) }

    mutating func parse(_ bytes: [UInt8]) throws {
        for byte in bytes {
            if byte == 0x0A { pairs.line += 1 }
            try scanner.read(byte, into: &pairs)
        }
    }

    mutating func finish() throws {
        // A line may go on in the next one.
        for _ in 0..<2 {
            pairs.line += 1
            try scanner.read(0x0A, into: &pairs)
        }
        try pairs.endRecord()
    }
}

/// The record that has not ended.
struct ListPairs {
    /// The longest key or value, in bytes; what is longer is no number and no label.
    static let maximumText = 1_024
    /// The most numbers of a record.
    private static let maximumNumbers = 10_000

    var line = 1
    private var numbers: [(text: String, line: Int)] = []
    private var label: (text: String, rank: Int)?
    /// Whether nobody complains of it any more.
    private var isRevoked = false
    private let countryCode: String?
    private let complain: (ListComplaint) -> Void
    private let body: (ListEntry) throws -> Void

    init(
        countryCode: String?, complain: @escaping (ListComplaint) -> Void, _ body: @escaping (ListEntry) throws -> Void
    ) {
        self.countryCode = countryCode
        self.complain = complain
        self.body = body
    }

    /// Begins a record within another one, whose label is not that of the inner one.
    mutating func beginRecord() throws { try endRecord() }

    /// - Parameter line: where the value is; nil for this line.
    mutating func add(_ key: String, _ value: some Sequence<UInt8>, line: Int? = nil) {
        let text = ListDecoder.text(value)
        if ListColumns.isNumber(key) {
            guard numbers.count < Self.maximumNumbers, !text.allSatisfy(\.isWhitespace) else { return }
            numbers.append((text, line ?? self.line))
        } else if key == "votes" {
            isRevoked = text == "0"
        } else if let rank = ListColumns.rankOfLabel(key), rank <= label?.rank ?? .max, text.contains(where: \.isLetter)
        {
            label = (text, rank)
        }
    }

    mutating func endRecord() throws {
        defer {
            numbers.removeAll(keepingCapacity: true)
            label = nil
            isRevoked = false
        }
        guard !isRevoked else { return }
        for number in numbers {
            do throws(ListProblem) {
                let label = try ListParser.label(label?.text ?? "")
                let entry = ListEntry(numbers: try ListNumbers(number.text, countryCode: countryCode), label: label)
                do { try body(entry) } catch { throw .body(error) }
            } catch {
                switch error {
                case .wrong(let text): complain(ListComplaint(line: number.line, text: text))
                case .body(let error): throw error
                }
            }
        }
    }
}
