// What a line of a list says.

/// A number to block, or to name.
struct ListEntry: Hashable, Comparable {
    let number: Int64
    /// nil: the number is to be blocked.
    let label: String?

    static func < (left: ListEntry, right: ListEntry) -> Bool {
        left.number == right.number ? (left.label ?? "") < (right.label ?? "") : left.number < right.number
    }
}

/// What is wrong with a line.
struct ListComplaint: Error, Equatable, CustomStringConvertible {
    /// From 1 on.
    let line: Int
    let text: String

    var description: String { "\(line): \(text)" }
}
