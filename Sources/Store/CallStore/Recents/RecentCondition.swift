// RecentCondition: a filter as blocks of rows are searched with it.

internal import CallModel

/// What one byte says of a row.
enum RecentFlag {
    static let present: UInt8 = 1
    static let incoming: UInt8 = 2
    static let missed: UInt8 = 4
}

/// What a row must be like, in numbers that are quickly compared.
struct RecentCondition {
    /// Which flags count, and how they must be.
    var mask: UInt8 = 0
    var wanted: UInt8 = 0
    var provider: UInt32?
    var parties: PartySet?
    var since = Int64.min
    var until = Int64.max

    /// Whether any row will do, whenever it began.
    var isEmpty: Bool { mask == 0 && provider == nil && parties == nil }

    init(_ filter: RecentFilter) {
        if let direction = filter.direction {
            mask |= RecentFlag.incoming
            if direction == .incoming { wanted |= RecentFlag.incoming }
        }
        if let missed = filter.missed {
            mask |= RecentFlag.missed
            if missed { wanted |= RecentFlag.missed }
        }
        since = filter.since ?? .min
        until = filter.until ?? .max
    }
}
