// Statement: a compiled statement.

internal import CSQLite

/// Is bound, stepped through, and reset. What it returns are copies.
final class Statement {
    private let raw: OpaquePointer
    private let database: OpaquePointer

    /// - Parameter text: one statement.
    init(_ text: String, _ database: OpaquePointer) throws(DatabaseError) {
        var compiled: OpaquePointer?
        let (code, isOne) = text.withCString { start in
            var rest: UnsafePointer<CChar>?
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            let code = sqlite3_prepare_v3(database, start, -1, flags, &compiled, &rest)
            return (code, rest.map { String(cString: $0).allSatisfy(\.isWhitespace) } ?? true)
        }
        guard code == SQLITE_OK else { throw DatabaseError(code: code, of: database) }
        guard let compiled else { throw DatabaseError(.misuse, "no statement") }
        guard isOne else {
            sqlite3_finalize(compiled)
            throw DatabaseError(.misuse, "more than one statement")
        }
        raw = compiled
        self.database = database
    }

    deinit { sqlite3_finalize(raw) }

    /// - Parameter values: as many as the statement has places for.
    func bind(_ values: [DatabaseValue]) throws(DatabaseError) {
        let places = sqlite3_bind_parameter_count(raw)
        guard places == values.count else {
            throw DatabaseError(.misuse, "\(values.count) arguments, expected \(places)")
        }
        for (place, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .null: sqlite3_bind_null(raw, place)
                case .integer(let number): sqlite3_bind_int64(raw, place, number)
                case .real(let number): sqlite3_bind_double(raw, place, number)
                case .text(let text): ock_sqlite_bind_text(raw, place, text)
                }
            guard code == SQLITE_OK else { throw DatabaseError(code: code, of: database) }
        }
    }

    /// Returns whether there is a row.
    func step() throws(DatabaseError) -> Bool {
        let code = sqlite3_step(raw)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw DatabaseError(code: code, of: database)
        }
    }

    /// Makes it ready for the next time. The failure of a step has been thrown already.
    func reset() {
        sqlite3_reset(raw)
        sqlite3_clear_bindings(raw)
    }

    /// The places of the columns by their names. The first of two with a name has it.
    var columns: [String: Int] {
        let names = (0..<sqlite3_column_count(raw)).map {
            sqlite3_column_name(raw, $0).map { String(cString: $0) } ?? ""
        }
        return Dictionary(zip(names, 0...)) { first, _ in first }
    }

    /// The values of the present row.
    var values: [DatabaseValue] {
        get throws(DatabaseError) {
            let count = sqlite3_data_count(raw)
            var values: [DatabaseValue] = []
            values.reserveCapacity(Int(count))
            for place in 0..<count { values.append(try value(place)) }
            return values
        }
    }

    /// Bytes are taken for text, as SQLite does. Text that is not UTF-8 is repaired, and ends before a zero byte.
    private func value(_ place: Int32) throws(DatabaseError) -> DatabaseValue {
        switch sqlite3_column_type(raw, place) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(raw, place))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(raw, place))
        default:
            guard let text = sqlite3_column_text(raw, place) else {
                // An empty blob has no text either.
                guard sqlite3_errcode(database) == SQLITE_NOMEM else { return .text("") }
                throw DatabaseError(code: SQLITE_NOMEM)
            }
            return .text(String(cString: text))
        }
    }
}
