// Many courses of events at random. A failure prints its seed and the shortest scenario that shows it.

import CallModel
import CallScenario
import Foundation
import Testing

@testable import CallCore

@Suite struct SimulationTests {
    static let steps = Int(ProcessInfo.processInfo.environment["STEPS"] ?? "") ?? 200_000
    static let firstSeed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? 1

    @Test func nothingAtRandomBreaksAPromise() {
        var steps = 0
        var counts: [String: Int] = [:]
        var seed = Self.firstSeed
        let start = ContinuousClock.now
        while steps < Self.steps {
            let simulation = Self.run(seed)
            steps += simulation.play.steps
            counts.merge(simulation.play.counts, uniquingKeysWith: +)
            if let failure = simulation.play.failure {
                let atRest = failure.hasPrefix("at rest")
                let shortest = Play.shortest(simulation.play.lines, atRest: atRest)
                Issue.record("seed \(seed): \(failure)\n\n\(shortest.scenario.text)")
                return
            }
            seed += 1
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print(counts.sorted { $0.key < $1.key }.map { "\($0.key)×\($0.value)" }.joined(separator: ", "))
        print("\(steps) steps in \(seed - Self.firstSeed) episodes, \(Int(Double(steps) / seconds)) steps/s")
    }

    @Test func theSameSeedIsTheSameCourseOfEvents() {
        for seed in Self.firstSeed..<Self.firstSeed + 5 {
            let lines = Self.run(seed).play.lines
            #expect(lines == Self.run(seed).play.lines)
            let (one, two) = (Play(lines, isRecording: true), Play(lines, isRecording: true))
            #expect(one.transcript.count > 200)
            #expect(one.scenario.text == two.scenario.text)
        }
    }

    /// A plan is what happens when every provider obeys.
    @Test func aPlanIsWhatThenHappens() throws {
        var compared = 0
        var refused = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            var simulation = Simulation(seed: seed)
            for step in 0..<200 {
                simulation.step()
                guard step % 4 == 0, simulation.play.failure == nil else { continue }
                var request = simulation.randomRequest()
                request.replyMode = .performed
                let world = simulation.play.world
                let plan = world.machine.rehearse(request, at: world.now)
                let (happened, reply) = Self.obey(request, in: world)
                compared += 1
                switch (plan, reply) {
                case (.success(let actions), .performed?):
                    #expect(actions == happened, "seed \(seed), \(request)")
                case (.failure(let error), .failed(let other)?):
                    refused += 1
                    #expect(error == other, "seed \(seed), \(request)")
                default:
                    Issue.record("seed \(seed): planned \(plan), happened \(String(describing: reply)), \(request)")
                }
            }
        }
        print("\(compared) plans compared, \(refused) of them refusals")
        #expect(compared - refused > 500)
        #expect(refused > 500)
    }

    private static func run(_ seed: UInt64) -> Simulation {
        var simulation = Simulation(seed: seed)
        for _ in 0..<300 where simulation.play.failure == nil { simulation.step() }
        simulation.comeToRest()
        return simulation
    }

    /// What the request leads to if from now on every provider does as it is told.
    private static func obey(_ request: Request, in world: World) -> ([PlannedAction], Reply?) {
        var world = world
        var planned: [PlannedAction] = []
        var latestFulfilled: ActionID?
        var outcome: Reply?
        let latest = TransactionID(world.machine.counters.transaction)
        let reply = ReplyID(1 << 40)
        var inputs: [Input] = [.requested(request, reply: reply)]
        while let input = inputs.popLast() {
            for effect in world.apply(input) {
                switch effect {
                case .perform(let action) where action.transaction > latest:
                    planned.append(PlannedAction(performed: action))
                case .reply(reply, let answer): outcome = answer
                case .deactivateAudio(let provider):
                    planned.indices.filter { planned[$0].performed.id == latestFulfilled }
                        .forEach { planned[$0].releasesAudio = provider }
                case .activateAudio(let provider, _):
                    planned.indices.filter { planned[$0].performed.id == latestFulfilled }
                        .forEach { planned[$0].grantsAudio = provider }
                default: break
                }
            }
            if let provider = world.releasing.first {
                inputs.append(.audioReleased(provider))
            } else if let next = world.owed.first {
                latestFulfilled = next.id
                inputs.append(.actionFulfilled(next.id, date: 0))
            }
        }
        return (planned, outcome)
    }
}
