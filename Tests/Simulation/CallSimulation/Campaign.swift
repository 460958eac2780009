// Many episodes, one seed after the other, until something fails or enough was seen.

package import CallCore
package import CallScenario

package struct Campaign: Sendable {
    package struct Failure: Sendable {
        package let seed: UInt64
        package let what: String
        /// The shortest scenario that shows it.
        package let scenario: String
    }

    /// Where a cell was reached: in which course of events, after how many inputs.
    package struct Sighting: Sendable, Comparable {
        package let inputs: Int
        package let seed: UInt64
        package static func < (left: Self, right: Self) -> Bool {
            (left.inputs, left.seed) < (right.inputs, right.seed)
        }
    }

    package private(set) var steps = 0
    package private(set) var episodes = 0
    /// How often each rule led to a Perform, and each refusal was given.
    package private(set) var counts: [String: Int] = [:]
    package private(set) var failure: Failure?
    /// Each cell that was reached, with the shortest way to it.
    package private(set) var reached: [Cell: Sighting] = [:]

    package init() {}

    /// Plays the seeds `first`, `first + stride`, … until that many steps were made or `isOver` says so.
    package mutating func run(
        steps wanted: Int, from first: UInt64, stride: UInt64 = 1,
        isOver: (Campaign) -> Bool = { _ in false }, fault: World.Fault? = nil
    ) {
        var seed = first
        while steps < wanted, failure == nil, !isOver(self) {
            take(seed, fault: fault)
            seed += stride
        }
    }

    /// One episode; a failure is made as short as it gets.
    private mutating func take(_ seed: UInt64, fault: World.Fault?) {
        let log = CellLog()
        var simulation = Simulation(seed: seed, fault: fault, watch: { log.note($1, $0) })
        simulation.run()
        steps += simulation.play.steps
        episodes += 1
        counts.merge(simulation.play.counts, uniquingKeysWith: +)
        for (cell, inputs) in log.first {
            let sighting = Sighting(inputs: inputs, seed: seed)
            reached[cell] = min(reached[cell] ?? sighting, sighting)
        }
        guard let what = simulation.play.failure else { return }
        let shortest = simulation.play.shortestFailure(simulation.rest, fault: fault)
        failure = Failure(seed: seed, what: what, scenario: shortest.failed.text)
    }

    package mutating func merge(_ other: Campaign) {
        steps += other.steps
        episodes += other.episodes
        counts.merge(other.counts, uniquingKeysWith: +)
        reached.merge(other.reached, uniquingKeysWith: min)
        failure = failure ?? other.failure
    }
}

/// The cells of one course of events, and after how many inputs each was reached first.
package final class CellLog {
    package private(set) var first: [Cell: Int] = [:]
    private var inputs = 0

    package init() {}

    package func note(_ input: Input, _ machine: CallMachine) {
        inputs += 1
        for cell in Cell.of(input, machine) where first[cell] == nil { first[cell] = inputs }
    }
}
