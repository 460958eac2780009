// Many episodes, one seed after the other, until something fails or enough was seen.

import CallCore
package import CallScenario

package struct Campaign: Sendable {
    package struct Failure: Sendable {
        package let seed: UInt64
        package let what: String
        /// The shortest scenario that shows it.
        package let scenario: String
    }

    package private(set) var steps = 0
    package private(set) var episodes = 0
    /// How often each rule led to a Perform, and each refusal was given.
    package private(set) var counts: [String: Int] = [:]
    package private(set) var failure: Failure?

    package init() {}

    /// Plays the seeds `first`, `first + stride`, … until that many steps were made or `isOver` says so.
    package mutating func run(
        steps wanted: Int, from first: UInt64, stride: UInt64 = 1, fault: World.Fault? = nil,
        isOver: (Campaign) -> Bool = { _ in false }
    ) {
        var seed = first
        while steps < wanted, failure == nil, !isOver(self) {
            take(seed, fault: fault)
            seed += stride
        }
    }

    /// One episode; a failure is made as short as it gets.
    private mutating func take(_ seed: UInt64, fault: World.Fault?) {
        var simulation = Simulation(seed: seed, fault: fault)
        simulation.run()
        steps += simulation.play.steps
        episodes += 1
        counts.merge(simulation.play.counts, uniquingKeysWith: +)
        guard let what = simulation.play.failure else { return }
        let shortest = simulation.play.shortestFailure(simulation.rest, fault: fault)
        failure = Failure(seed: seed, what: what, scenario: shortest.failed.text)
    }

    package mutating func merge(_ other: Campaign) {
        steps += other.steps
        episodes += other.episodes
        counts.merge(other.counts, uniquingKeysWith: +)
        failure = failure ?? other.failure
    }
}
