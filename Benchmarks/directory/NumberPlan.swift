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
    /// Any number of the plan.
    static func any(_ generator: inout SplitMix) -> Int64 {
        let area = 200 + Int64(generator.next() % 800)
        let office = 200 + Int64(generator.next() % 800)
        return 10_000_000_000 + area * 10_000_000 + office * 10_000 + Int64(generator.next() % 10_000)
    }

    /// So many different numbers as lists of nuisances have them, in ascending order: runs of up to 2,000 with a step of
    /// one to four, as call centres rent them, at random places of the plan.
    static func clusters(_ count: Int) -> [Int64] {
        var generator = SplitMix(seed: 2)
        return different(count) { numbers in
            let (start, step) = (any(&generator), Int64(1 + generator.next() % 4))
            let length = Int64(1) << Int64(generator.next() % 12)
            for index in 0..<length { numbers.append(start + index * step) }
        }
    }

    /// So many different numbers, evenly spread over the plan at random, in ascending order.
    static func numbers(_ count: Int) -> [Int64] {
        var generator = SplitMix(seed: 1)
        return different(count) { $0.append(any(&generator)) }
    }

    private static func different(_ count: Int, _ add: (inout [Int64]) -> Void) -> [Int64] {
        var numbers: [Int64] = []
        while numbers.count < count {
            let target = count + (count - numbers.count) / 500 + 16
            while numbers.count < target { add(&numbers) }
            numbers.sort()
            var last: Int64 = 0
            numbers.removeAll { number in
                defer { last = number }
                return number == last
            }
        }
        // Too many by a few: those in between go, so that the end of the plan is not left out.
        let surplus = numbers.count - count
        guard surplus > 0 else { return numbers }
        let step = numbers.count / surplus
        var (index, removed) = (0, 0)
        numbers.removeAll { _ in
            index += 1
            guard removed < surplus, index % step == 0 else { return false }
            removed += 1
            return true
        }
        return Array(numbers.prefix(count))
    }
}
