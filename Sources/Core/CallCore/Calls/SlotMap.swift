// Values that keep their place for as long as they are there.

/// A dictionary whose values are changed where they stand. The order of `values` is the same in every run.
struct SlotMap<Key: SlotKey, Value: ChangedInPlace>: Sendable {
    /// The first slot is always empty: it is what is read where there is no value.
    private var slots: [Value?] = [nil]
    private var free: [Int] = []
    private var index = SlotIndex<Key>()

    var count: Int { index.count }
    var isEmpty: Bool { index.count == 0 }
    var values: some Sequence<Value> { slots.lazy.compactMap { $0 } }

    subscript(key: Key) -> Value? {
        @inline(__always) _read { yield slots.span[index[key] ?? 0] }
        @inline(__always) _modify {
            let slot = index[key] ?? 0
            yield &slots[slot]
            settle(key, slot)
        }
    }

    /// Changes a value where it stands.
    mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
        if let slot = index[key] { slots[slot]?.change(change) }
    }

    func forEach(_ body: (Value?) -> Void) {
        let span = slots.span
        for slot in span.indices { body(span[slot]) }
    }

    @discardableResult
    mutating func removeValue(forKey key: Key) -> Value? {
        guard let slot = index[key] else { return nil }
        let value = slots[slot].take()
        release(key, slot)
        return value
    }

    /// A value may have come or gone.
    private mutating func settle(_ key: Key, _ slot: Int) {
        if slot == 0 {
            if let added = slots[0].take() { insert(added, for: key) }
        } else if slots.span[slot] == nil {
            release(key, slot)
        }
    }

    private mutating func insert(_ value: Value, for key: Key) {
        if let slot = free.popLast() {
            slots[slot] = value
            index.insert(key, at: slot)
        } else {
            index.insert(key, at: slots.count)
            slots.append(value)
        }
    }

    private mutating func release(_ key: Key, _ slot: Int) {
        index.remove(key)
        if index.count == 0 {
            slots.removeSubrange(1...)
            free.removeAll(keepingCapacity: true)
        } else {
            free.append(slot)
        }
    }
}

/// What is changed where it stands, within an optional too.
protocol ChangedInPlace: Sendable {}

extension ChangedInPlace {
    @inline(__always)
    mutating func change(_ change: (inout Self) -> Void) { change(&self) }
}

extension Call: ChangedInPlace {}
extension Transaction: ChangedInPlace {}
extension PendingAction: ChangedInPlace {}
