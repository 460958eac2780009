// Tasks and actors.

import CheckingProvider
import OpenCallKit

enum TaskChecks {
    static let all = [
        Check("tasks") { _ in try await tasks() }, Check("actors") { _ in try await actors() },
        Check("main-actor") { _ in try await mainActor() }, Check("clocks") { _ in try await clocks() },
        Check("streams") { _ in try await streams() },
    ]

    private actor Sum {
        private(set) var sum = 0
        func add(_ number: Int) { sum += number }
    }

    private static func tasks() async throws -> String {
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 0..<1_000 {
                group.addTask(priority: number.isMultiple(of: 2) ? .high : .background) {
                    await Task.yield()
                    return number
                }
            }
            return await group.reduce(0, +)
        }
        try expect(sum == 499_500, "the sum is \(sum)")
        return "\(sum)"
    }

    private static func actors() async throws -> String {
        let sum = Sum()
        await withDiscardingTaskGroup { group in
            for _ in 0..<500 { group.addTask { await sum.add(1) } }
        }
        let found = await sum.sum
        try expect(found == 500, "the actor counted \(found)")
        return "\(found)"
    }

    @MainActor private static func mainActor() async throws -> String {
        for _ in 0..<20 { await Task.yield() }
        return "back on the main actor"
    }

    private static func clocks() async throws -> String {
        let clock = ContinuousClock()
        let spent = try await clock.measure { try await Task.sleep(for: .milliseconds(10)) }
        try expect(spent >= .milliseconds(10), "slept \(spent)")
        return "\(spent)"
    }

    private static func streams() async throws -> String {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        Task.detached {
            for number in 0..<100 { continuation.yield(number) }
            continuation.finish()
        }
        var count = 0
        for await _ in stream { count += 1 }
        try expect(count == 100, "\(count) of 100")
        return "\(count)"
    }
}
