// DatabaseValue: what a column of a row has, and the types of Swift that it becomes.

public enum DatabaseValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
}

/// A type whose values are bound to statements and read from rows.
public protocol DatabaseValueConvertible: Fetchable {
    var databaseValue: DatabaseValue { get }

    /// Returns nil for a value of another kind.
    init?(databaseValue: DatabaseValue)
}

extension DatabaseValueConvertible {
    /// The first column of a row; nil if it has none.
    public init?(_ row: Row) throws {
        guard let value = row.first, value != .null else { return nil }
        guard let converted = Self(databaseValue: value) else { throw RowDecodingError(column: "1") }
        self = converted
    }
}

extension Int64: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { .integer(self) }

    /// A fraction is cut off.
    public init?(databaseValue: DatabaseValue) {
        switch databaseValue {
        case .integer(let number): self = number
        case .real(let number): self.init(exactly: number.rounded(.towardZero))
        case .null, .text: return nil
        }
    }
}

extension Int: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { .integer(Int64(self)) }

    public init?(databaseValue: DatabaseValue) {
        guard let number = Int64(databaseValue: databaseValue) else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

    /// Any number but zero is true.
    public init?(databaseValue: DatabaseValue) {
        switch databaseValue {
        case .integer(let number): self = number != 0
        case .real(let number): self = number != 0
        case .null, .text: return nil
        }
    }
}

extension String: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { .text(self) }

    public init?(databaseValue: DatabaseValue) {
        guard case .text(let text) = databaseValue else { return nil }
        self = text
    }
}
