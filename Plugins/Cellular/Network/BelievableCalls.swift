// BelievableCalls: what is taken for true of a list that a modem gives.

/// A list of calls that a mobile network can have: one party that is heard, one that is held, and one call that rings.
struct BelievableCalls: Hashable, Sendable {
    /// The calls, each at most once.
    let calls: [MobileCall]
    /// Whether the list is what the modem gave. If it is not, the modem is asked again.
    let isWhole: Bool

    /// - Parameter heard: the calls that were active before. Of several parties that are active at once, the one with such
    ///   a call is believed to be, and the others to be held, so that a list that contradicts itself exchanges nothing.
    init(_ list: [MobileCall], heard: Set<String>) {
        var seen: Set<String> = []
        var calls = list.prefix(MobileCall.maximum).filter { seen.insert($0.id).inserted }
        var isWhole = calls.count == list.count
        let active = calls.filter { $0.phase == .active }
        if active.count > 1, !active.allSatisfy(\.isMultiparty) {
            isWhole = false
            let chosen = active.first { heard.contains($0.id) } ?? active[0]
            for index in calls.indices where calls[index].phase == .active && calls[index].id != chosen.id {
                if !(chosen.isMultiparty && calls[index].isMultiparty) { calls[index].phase = .held }
            }
        }
        let held = calls.filter { $0.phase == .held }
        if held.count > 1, !held.allSatisfy(\.isMultiparty) { isWhole = false }
        if calls.count(where: { $0.phase == .dialing || $0.phase == .alerting }) > 1 { isWhole = false }
        self.calls = calls
        self.isWhole = isWhole
    }
}
