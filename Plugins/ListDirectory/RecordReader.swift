// Reads the records of a CSV list with libcsv.

internal import CCSV

/// Takes lines, and returns the fields of a record once its last line is complete.
final class RecordReader {
    enum Result { case record, goesOn, misplacedQuote, noMemory }

    private let reader: OpaquePointer

    /// - Returns: nil if memory runs out.
    init?(_ delimiter: UInt8) {
        guard let reader = ock_csv_open(delimiter) else { return nil }
        self.reader = reader
    }

    deinit { ock_csv_close(reader) }

    /// - Parameter line: a line without its end; the first line of a record must not be blank.
    func append(_ line: [UInt8]) -> Result {
        switch ock_csv_take(reader, line, line.count) {
        case OCK_CSV_RECORD: .record
        case OCK_CSV_GOES_ON: .goesOn
        case OCK_CSV_QUOTE: .misplacedQuote
        default: .noMemory
        }
    }

    /// The number of fields of the record.
    var count: Int { ock_csv_field_count(reader) }

    /// Returns a field; empty if it does not exist.
    func field(_ index: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: ock_csv_field_size(reader, index))
        ock_csv_copy_field(reader, index, &bytes)
        return bytes
    }
}
