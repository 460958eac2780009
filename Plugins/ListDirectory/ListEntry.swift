// What a list says of a number, and what is wrong with a line.

/// Numbers to block, or a number to name.
struct ListEntry: Hashable {
    let numbers: ListNumbers
    /// What the list calls the number; nil for nothing.
    let label: String?
}

/// A line that was left out.
struct ListComplaint: Error, Equatable, CustomStringConvertible {
    /// The line's number, from 1 on.
    let line: Int
    /// Never quotes the line, which can have the name or the number of somebody.
    let text: String

    var description: String { "\(line): \(text)" }
}
