// Numbers as a nation-wide list has them.

struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// The North American plan, the largest there is: +1 and ten digits, of which the first and the fourth are 2 to 9.
enum NumberPlan {
    /// So many different numbers, evenly spread over the plan at random, in ascending order.
    static func numbers(_ count: Int) -> [Int64] {
        var generator = SplitMix(seed: 1)
        var numbers: [Int64] = []
        while numbers.count < count {
            let missing = count - numbers.count
            for _ in 0..<(missing + missing / 500 + 16) {
                let area = 200 + Int64(generator.next() % 800)
                let office = 200 + Int64(generator.next() % 800)
                numbers.append(10_000_000_000 + area * 10_000_000 + office * 10_000 + Int64(generator.next() % 10_000))
            }
            numbers.sort()
            var last: Int64 = 0
            numbers.removeAll { number in
                defer { last = number }
                return number == last
            }
        }
        // Too many by a few: those in between go, so that the end of the plan is not left out.
        let surplus = numbers.count - count
        if surplus > 0 {
            let step = numbers.count / surplus
            var index = 0
            var removed = 0
            numbers.removeAll { _ in
                index += 1
                guard removed < surplus, index % step == 0 else { return false }
                removed += 1
                return true
            }
        }
        return Array(numbers.prefix(count))
    }
}
