// Many simulations, one seed after the other, until one fails or enough steps were made.

import CallCore
package import CallScenario

package struct SimulationSeries: Sendable {
    package struct Failure: Sendable {
        package let seed: UInt64
        package let what: String
        /// The shortest scenario that shows it.
        package let scenario: String
    }

    /// Where a cell was reached: in the simulation of which seed, after how many inputs.
    package struct Sighting: Sendable, Comparable {
        package let inputs: Int
        package let seed: UInt64
        package static func < (left: Self, right: Self) -> Bool {
            (left.inputs, left.seed) < (right.inputs, right.seed)
        }
    }

    package private(set) var steps = 0
    package private(set) var simulations = 0
    /// How often each rule led to a Perform, and each refusal was given.
    package private(set) var counts: [String: Int] = [:]
    package private(set) var failure: Failure?
    /// Each cell that was reached, and where it took the fewest inputs.
    package private(set) var reached: [Cell: Sighting] = [:]

    package init() {}

    /// Runs the seeds `first`, `first + stride`, … until so many steps were made or `isOver` says so.
    package mutating func run(
        steps wanted: Int, from first: UInt64, stride: UInt64 = 1,
        isOver: (SimulationSeries) -> Bool = { _ in false }, fault: ScenarioShell.Fault? = nil
    ) {
        var seed = first
        while steps < wanted, failure == nil, !isOver(self) {
            take(seed, fault: fault)
            seed += stride
        }
    }

    /// Runs one simulation; a failure is made as short as it gets.
    private mutating func take(_ seed: UInt64, fault: ScenarioShell.Fault?) {
        let log = CellLog()
        var simulation = Simulation(seed: seed, fault: fault, watch: { log.note($1, $0) })
        simulation.run()
        steps += simulation.runner.steps
        simulations += 1
        counts.merge(simulation.runner.counts, uniquingKeysWith: +)
        for (cell, inputs) in log.first {
            let sighting = Sighting(inputs: inputs, seed: seed)
            reached[cell] = min(reached[cell] ?? sighting, sighting)
        }
        guard let what = simulation.runner.failure else { return }
        let shortest = simulation.runner.shortestFailure(simulation.settling, fault: fault)
        failure = Failure(seed: seed, what: what, scenario: shortest.failed.text)
    }

    package mutating func merge(_ other: SimulationSeries) {
        steps += other.steps
        simulations += other.simulations
        counts.merge(other.counts, uniquingKeysWith: +)
        reached.merge(other.reached, uniquingKeysWith: min)
        failure = failure ?? other.failure
    }
}
