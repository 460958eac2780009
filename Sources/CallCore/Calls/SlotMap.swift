// Values that keep their place for as long as they are there.

/// A dictionary whose values are changed where they stand. The order of `values` is the same in every run.
struct SlotMap<Key: SlotKey, Value: Sendable>: Sendable {
    private var slots: [Value?] = []
    private var free: [Int] = []
    private var index = SlotIndex<Key>()

    var count: Int { index.count }
    var isEmpty: Bool { index.count == 0 }
    var values: some Sequence<Value> { slots.lazy.compactMap { $0 } }

    subscript(key: Key) -> Value? {
        _read {
            if let slot = index[key] { yield slots[slot] } else { yield nil }
        }
        _modify {
            if let slot = index[key] {
                defer { if slots[slot] == nil { release(key, slot) } }
                yield &slots[slot]
            } else {
                var added: Value?
                defer { if let added { insert(added, for: key) } }
                yield &added
            }
        }
    }

    @discardableResult
    mutating func removeValue(forKey key: Key) -> Value? {
        guard let slot = index[key] else { return nil }
        let value = slots[slot].take()
        release(key, slot)
        return value
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
            slots.removeAll(keepingCapacity: true)
            free.removeAll(keepingCapacity: true)
        } else {
            free.append(slot)
        }
    }
}
