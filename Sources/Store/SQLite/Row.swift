// Row: a row of a result.

/// The values of a row, which outlive the statement.
public struct Row: Sendable {
    private let columns: [String: Int]
    private let values: [DatabaseValue]

    init(columns: [String: Int], values: [DatabaseValue]) { (self.columns, self.values) = (columns, values) }

    var first: DatabaseValue? { values.first }

    /// - Throws: `RowDecodingError` if the value is of another kind, or NULL.
    public func decode<Value: DatabaseValueConvertible>(
        _ type: Value.Type = Value.self, forColumn name: String
    ) throws(RowDecodingError) -> Value {
        guard let place = columns[name], values.indices.contains(place),
            let value = Value(databaseValue: values[place])
        else { throw RowDecodingError(column: name) }
        return value
    }
}

/// What is read from rows.
public protocol Fetchable {
    /// Returns nil for a row that has no such value.
    ///
    /// - Throws: `RowDecodingError` for values of the wrong kind.
    init?(_ row: Row) throws
}

extension Row: Fetchable {
    public init?(_ row: Row) { self = row }
}

extension Fetchable {
    /// Returns the value of the first row; nil if there is none.
    public static func fetchOne(_ database: Database, _ sql: SQL) throws -> Self? {
        var value: Self?
        try database.forEach(sql) { row in
            value = try Self(row)
            return false
        }
        return value
    }

    /// Returns the values of all rows that have one.
    public static func fetchAll(_ database: Database, _ sql: SQL) throws -> [Self] {
        var values: [Self] = []
        try database.forEach(sql) { row in
            if let value = try Self(row) { values.append(value) }
            return true
        }
        return values
    }

    /// Each `?` of the text stands for an argument.
    public static func fetchOne(
        _ database: Database, sql text: String, arguments: [any DatabaseValueConvertible] = []
    ) throws -> Self? { try fetchOne(database, SQL(text, arguments)) }

    public static func fetchAll(
        _ database: Database, sql text: String, arguments: [any DatabaseValueConvertible] = []
    ) throws -> [Self] { try fetchAll(database, SQL(text, arguments)) }
}
