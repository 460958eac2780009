// CSV as in RFC 4180.

internal import CCSV

/// Lines of comma-separated values, ended by CRLF.
enum CSV {
    static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\r\n" }

    /// Returns one value, in quotes if it contains a comma, a quote or an end of line, or begins or ends with a space.
    /// A value that a spreadsheet would take for a formula gets an apostrophe before it, unless it is a plain number.
    static func field(_ value: String) -> String {
        let text = isFormula(value) ? "'" + value : value
        let scalars = text.unicodeScalars
        let needsQuotes =
            text.first == " " || text.last == " " || scalars.contains { [",", "\"", "\r", "\n"].contains($0) }
        guard needsQuotes else { return text }
        let bytes = Array(text.utf8)
        var quoted = [UInt8](repeating: 0, count: 2 * bytes.count + 2)
        let size = ock_csv_quote(bytes, bytes.count, &quoted, quoted.count)
        return String(decoding: quoted[..<size], as: UTF8.self)
    }

    private static func isFormula(_ value: String) -> Bool {
        let scalars = value.unicodeScalars
        guard let first = scalars.first, isOperator(first) else { return false }
        let rest = scalars.dropFirst()
        let isNumber = ["+", "-"].contains(first) && !rest.isEmpty && rest.allSatisfy { ("0"..."9").contains($0) }
        return !isNumber
    }

    /// Includes the full-width forms, which some spreadsheets treat alike.
    private static func isOperator(_ scalar: Unicode.Scalar) -> Bool {
        ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"].contains(scalar)
    }
}
