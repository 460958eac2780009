// All calls, each in a slot of its own, and the indices that tell without looking at them who stands where.

public import CallModel

/// A dictionary of calls that files every call anew when it was changed, whoever changed it and whatever.
///
/// What `Standing` says of a call is indexed here; `problems()` compares each index with what the calls themselves say.
public struct CallTable: Sendable {
    struct Slot: Sendable {
        var call: Call?
        /// Why it is in its state; beside the call, so that a copy of a call costs no copy of these.
        var causes = CauseChain()
        var pending = PendingActions()
        /// As it is filed.
        var standing = Standing()
        var createdOrder: UInt64 = 0
        var tally = 0
        /// As it was last announced; nil before the first time.
        var shown: Shown?
        var shownFacts: CallFacts?
        /// Its end was announced, after which nothing is.
        var isRetired = false
        /// It is among those that were touched since the last announcement.
        var isDirty = false
    }

    /// The first slot is always empty: it is what is read where there is no call.
    var slots: [Slot] = [Slot()]
    private var free: [Int] = []
    private var index = SlotIndex<CallID>()

    /// The calls that have the line, the members of a group in the order in which they joined.
    var line: [LineCall] = []
    /// The emergency calls that do not ring any more, and those that do, oldest first.
    var emergencies: [Int] = []
    var ringingEmergencies: [Int] = []
    /// The ringing calls that nobody has silenced, oldest first.
    var loud = Chain()
    var loudLinks = ChainLinks()
    /// The calls that the arbiter holds, the last one last.
    var displaced = Chain()
    var displacedLinks = ChainLinks()
    /// A call rings or talks, or neither.
    var tallyLinks = ChainLinks()
    var groups: [GroupID: GroupRecord] = [:]
    var tallies: [ProviderTally] = []
    var tallyOfProvider: [ProviderID: Int] = [:]
    var freeTallies: [Int] = []

    /// The calls that have not ended, those that ring, and those that are held.
    var liveCount = 0
    var ringingCount = 0
    var heldCount = 0
    /// Whether calls that do not ring have changed: all that the ways to answer a ringing call depend on.
    var sceneIsNew = false
    /// The call that rings aloud, as it was last announced.
    var ringer: Int?
    /// The slots and tallies that were touched since the last announcement.
    var dirty: [Int] = []
    var dirtyTallies: [Int] = []

    public var count: Int { index.count }

    /// All calls, ended ones included, in no order that means anything.
    public var values: [Call] { slots.compactMap(\.call) }

    /// A change by this way is filed when it is made. To bring or to take away a call there are `insert` and `remove`.
    public internal(set) subscript(id: CallID) -> Call? {
        @inline(__always) get { slots.span[index[id] ?? 0].call }
        @inline(__always) _modify {
            let slot = index[id] ?? 0
            yield &slots[slot].call
            refile(slot)
        }
    }

    func slot(of id: CallID) -> Int? { index[id] }

    /// One property, without a copy of the call.
    func state(of id: CallID) -> CallState? {
        guard let slot = index[id] else { return nil }
        return slots.span[slot].call?.state
    }

    func provider(of id: CallID) -> ProviderID? {
        guard let slot = index[id] else { return nil }
        return slots.span[slot].call?.facts.provider
    }

    subscript(slot slot: Int) -> Call? {
        @inline(__always) get { slots.span[slot].call }
    }

    mutating func insert(_ call: Call, _ limits: GroupLimits) {
        guard index[call.id] == nil else { return }
        let slot = free.popLast() ?? slots.count
        if slot == slots.count { slots.append(Slot()) }
        index.insert(call.id, at: slot)
        let tally = takeTally(of: call.provider)
        slots[slot] = Slot(call: call, createdOrder: call.createdOrder, tally: tally)
        setLimits(limits, of: tally)
        refile(slot)
    }

    mutating func remove(_ id: CallID) {
        guard let slot = index.remove(id) else { return }
        slots[slot].call = nil
        slots[slot].causes = CauseChain()
        refile(slot)
        releaseTally(slots[slot].tally)
        free.append(slot)
    }

    /// All calls that have not ended, oldest first. Looks at every call.
    var live: [Call] {
        slots.filter { $0.standing.marks.contains(.live) }.sorted { $0.createdOrder < $1.createdOrder }
            .compactMap(\.call)
    }

    mutating func update(_ id: CallID, _ change: (inout Call) -> Void) {
        if let slot = index[id] { update(slot, change) }
    }

    mutating func update(_ slot: Int, _ change: (inout Call) -> Void) {
        slots[slot].call?.change(change)
        refile(slot)
    }

    /// A change that neither is filed nor announced.
    mutating func annotate(_ id: CallID, _ change: (inout Call) -> Void) {
        if let slot = index[id] { slots[slot].call?.change(change) }
    }

    func calls(of line: [LineCall]) -> [Call] { calls(in: line.map(\.slot)) }

    func provider(of call: LineCall) -> ProviderID { tallies[call.tally].id }

    func calls(in slots: [Int]) -> [Call] { slots.compactMap { self.slots[$0].call } }

    mutating func touch(_ slot: Int) {
        guard !slots[slot].isDirty else { return }
        slots[slot].isDirty = true
        dirty.append(slot)
    }
}
