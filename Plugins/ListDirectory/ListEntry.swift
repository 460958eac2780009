// An entry of a list, and an error in a list.

/// A number to block or to name.
struct ListEntry: Hashable, Comparable {
    let number: Int64
    /// The label; nil for a number to block.
    let label: String?

    static func < (left: ListEntry, right: ListEntry) -> Bool {
        left.number == right.number ? (left.label ?? "") < (right.label ?? "") : left.number < right.number
    }
}

/// An error in a line.
struct ListComplaint: Error, Equatable, CustomStringConvertible {
    /// The line's number, from 1 on.
    let line: Int
    let text: String

    var description: String { "\(line): \(text)" }
}
