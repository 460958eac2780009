// The records of a CSV list, which libcsv takes apart.

internal import CCSV

/// Takes lines, and has the fields of the record that the last one ended.
final class RecordReader {
    enum Result { case record, goesOn, misplacedQuote, noMemory }

    private let reader: OpaquePointer

    /// - Returns: nil if there is no memory.
    init?(_ delimiter: UInt8) {
        guard let reader = ock_csv_open(delimiter) else { return nil }
        self.reader = reader
    }

    deinit { ock_csv_close(reader) }

    /// - Parameter line: without its end; not of blanks alone where a record begins.
    func take(_ line: [UInt8]) -> Result {
        switch ock_csv_take(reader, line, line.count) {
        case OCK_CSV_RECORD: .record
        case OCK_CSV_GOES_ON: .goesOn
        case OCK_CSV_QUOTE: .misplacedQuote
        default: .noMemory
        }
    }

    /// Fields of the record.
    var count: Int { ock_csv_field_count(reader) }

    /// Empty for a field that there is not.
    func field(_ index: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ock_csv_field_size(reader, index))
        ock_csv_copy_field(reader, index, &bytes)
        return bytes
    }
}
