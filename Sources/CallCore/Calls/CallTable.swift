// All calls, each in a slot of its own, and the indices that tell without looking at them who stands where.

public import CallModel

/// A dictionary of calls that files every call anew when it was changed, whoever changed it and whatever.
///
/// What `Standing` says of a call is indexed here; `problems()` compares each index with what the calls themselves say.
public struct CallTable: Sendable {
    struct Slot: Sendable {
        var call: Call?
        /// As it is filed.
        var standing = Standing()
        var createdOrder: UInt64 = 0
        var tally = 0
        /// As it was last announced; nil before the first time.
        var published: PublishedCall?
        /// Its end was announced, after which nothing is.
        var isRetired = false
        /// It is among those that were touched since the last announcement.
        var isDirty = false
    }

    var slots: [Slot] = []
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
        _read {
            if let slot = index[id] { yield slots[slot].call } else { yield nil }
        }
        _modify {
            if let slot = index[id] {
                defer { refile(slot) }
                yield &slots[slot].call
            } else {
                var absent: Call?
                yield &absent
            }
        }
    }

    func slot(of id: CallID) -> Int? { index[id] }

    subscript(slot slot: Int) -> Call? {
        _read { yield slots[slot].call }
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
        refile(slot)
        releaseTally(slots[slot].tally)
        free.append(slot)
    }

    /// All calls that have not ended, oldest first. Looks at every call.
    var live: [Call] {
        slots.filter { $0.standing.marks.contains(.live) }.sorted { $0.createdOrder < $1.createdOrder }
            .compactMap(\.call)
    }

    mutating func update(_ slot: Int, _ change: (inout Call) -> Void) {
        guard var call = slots[slot].call.take() else { return }
        change(&call)
        slots[slot].call = call
        refile(slot)
    }

    func calls(in slots: [Int]) -> [Call] { slots.compactMap { self.slots[$0].call } }

    mutating func touch(_ slot: Int) {
        guard !slots[slot].isDirty else { return }
        slots[slot].isDirty = true
        dirty.append(slot)
    }
}
