// Weekday: the days of the week, in the order of ISO 8601.

/// A day of the week. Raw values are the words on the bus.
public enum Weekday: String, CaseIterable, Sendable {
    case monday = "mon"
    case tuesday = "tue"
    case wednesday = "wed"
    case thursday = "thu"
    case friday = "fri"
    case saturday = "sat"
    case sunday = "sun"
}
