// SQL: a statement or a part of one, with its arguments.

/// A text of SQL in which what is interpolated is an argument, and never text: `"name = \(name)"`. Parts are put together with
/// `\(part)`, `+` and `joined(separator:)`.
public struct SQL: ExpressibleByStringInterpolation, Sendable, Hashable {
    private(set) var text: String
    private(set) var values: [DatabaseValue] = []

    public init(stringLiteral text: String) { self.text = text }

    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    /// Each `?` of the text stands for an argument.
    public init(_ text: String, _ arguments: [any DatabaseValueConvertible]) {
        self.text = text
        values = arguments.map(\.databaseValue)
    }

    public static func + (one: SQL, other: SQL) -> SQL {
        var sum = one
        sum.append(other)
        return sum
    }

    fileprivate mutating func append(_ other: SQL) {
        text += other.text
        values += other.values
    }

    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql: SQL = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ text: String) { sql.text += text }

        /// An argument.
        public mutating func appendInterpolation(_ value: some DatabaseValueConvertible) {
            sql.append(SQL("?", [value]))
        }

        /// A list of arguments, in parentheses.
        public mutating func appendInterpolation(_ values: [any DatabaseValueConvertible]) {
            let places = repeatElement("?", count: values.count).joined(separator: ", ")
            sql.append(SQL("(\(places))", values))
        }

        /// Another part, with its arguments.
        public mutating func appendInterpolation(_ part: SQL) { sql.append(part) }

        /// Text of the program, such as the name of a table.
        public mutating func appendInterpolation(sql text: String) { sql.text += text }
    }
}

extension Sequence where Element == SQL {
    public func joined(separator: SQL) -> SQL {
        var (whole, isFirst) = ("" as SQL, true)
        for part in self {
            if !isFirst { whole = whole + separator }
            whole = whole + part
            isFirst = false
        }
        return whole
    }
}
