// Courses of events at random, fewer than `make test-simulation` plays with an optimized build.

import CallModel
import CallScenario
import CallSimulation
import Foundation
import Testing

@testable import CallCore

@Suite struct SimulationTests {
    static let steps = Int(ProcessInfo.processInfo.environment["STEPS"] ?? "") ?? 20_000
    static let firstSeed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? 1

    @Test func nothingAtRandomBreaksAPromise() {
        var series = SimulationSeries()
        series.run(steps: Self.steps, from: Self.firstSeed)
        if let failure = series.failure {
            Issue.record("seed \(failure.seed): \(failure.what)\n\n\(failure.scenario)")
        }
        print("\(series.steps) steps in \(series.simulations) simulations")
    }

    @Test func theSameSeedIsTheSameCourseOfEvents() {
        for seed in Self.firstSeed..<Self.firstSeed + 5 {
            let one = Self.run(seed)
            #expect(one.lines == Self.run(seed).lines)
            let texts = (0..<2).map { _ in
                MoveRunner(one.lines, one.machine.policy, isRecording: true).scenario("a course of events").text
            }
            #expect(texts[0].count > 10_000)
            #expect(texts[0] == texts[1])
        }
    }

    /// Effects that get lost are found, and what is printed is a scenario file that fails for whoever runs it.
    @Test(
        arguments: [
            { @Sendable effect in
                if case .reply(_, .failed(let error)) = effect { error.code == .alreadyEnded } else { false }
            },
            { @Sendable effect in if case .callChanged(_, .heldBy) = effect { true } else { false } },
            { @Sendable effect in if case .deactivateAudio = effect { true } else { false } },
            { @Sendable effect in if case .callRemoved = effect { true } else { false } },
        ] as [ScenarioShell.Fault]) func aPlantedFaultIsAScenarioThatFails(_ fault: @escaping ScenarioShell.Fault)
        throws
    {
        var series = SimulationSeries()
        series.run(steps: 100_000, from: 2, fault: fault)
        let failure = try #require(series.failure)
        let scenario = try Scenario(text: failure.scenario)
        #expect(scenario.blocks.count < 60, "\(failure.scenario)")
        let (again, violations) = scenario.recorded(fault: fault)
        #expect(!violations.isEmpty)
        #expect(again.text == scenario.text)
        #expect(scenario.recorded().violations.isEmpty, "without the fault nothing is wrong")
    }

    /// A plan is what happens when every provider obeys.
    @Test func aPlanIsWhatThenHappens() throws {
        var compared = 0
        var refused = 0
        var told = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            var simulation = Simulation(seed: seed)
            for step in 0..<200 {
                simulation.step()
                guard step % 4 == 0, simulation.runner.failure == nil else { continue }
                var request = simulation.randomRequest()
                request.replyMode = .performed
                let shell = simulation.runner.shell
                let plan = shell.machine.plan(request, at: shell.now)
                let (happened, reply) = Self.obey(request, in: shell)
                compared += 1
                switch (plan, reply) {
                case (.success(let actions), .performed?):
                    #expect(actions == happened.map(Self.alone), "seed \(seed), \(request)")
                    told += Self.checkParts(happened.map(\.performed), "seed \(seed), \(request)")
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
        #expect(told > 100, "nobody was told what follows")
    }

    /// A plan does not say what a provider is told with what.
    private static func alone(_ action: PlannedAction) -> PlannedAction {
        PlannedAction(
            performed: action.performed.with(.single), releasesAudio: action.releasesAudio,
            grantsAudio: action.grantsAudio)
    }

    /// Each provider was told with the first of its actions of the others.
    ///
    /// - Returns: how many were told of others.
    private static func checkParts(_ actions: [PerformedAction], _ what: String) -> Int {
        var told = 0
        for own in Dictionary(grouping: actions, by: { "\($0.transaction) \($0.provider)" }).values {
            guard let first = own.first, own.count > 1 else {
                #expect(own.allSatisfy { $0.part == .single }, "\(what)")
                continue
            }
            told += 1
            #expect(first.part == .first(own.dropFirst().map(\.action)), "\(what)")
            for (index, action) in own.enumerated().dropFirst() {
                #expect(action.part == .following(UInt32(index)), "\(what)")
            }
        }
        return told
    }

    private static func run(_ seed: UInt64) -> MoveRunner {
        var simulation = Simulation(seed: seed)
        simulation.run()
        return simulation.runner
    }

    /// What the request leads to if from now on every provider does as it is told.
    private static func obey(_ request: Request, in shell: ScenarioShell) -> ([PlannedAction], Reply?) {
        var shell = shell
        var planned: [PlannedAction] = []
        var latestFulfilled: ActionID?
        var outcome: Reply?
        let latest = shell.machine.standing.work.latestTransaction
        let reply = ReplyID(1 << 40)
        var inputs: [Input] = [.requested(request, reply: reply)]
        while let input = inputs.popLast() {
            for effect in shell.apply(input) {
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
            if let provider = shell.releasing.first {
                inputs.append(.audioReleased(provider))
            } else if let asked = shell.preparations.first {
                inputs.append(.audioPrepared(asked.agent, for: asked.provider))
            } else if let next = shell.owed.first {
                latestFulfilled = next.id
                inputs.append(.actionFulfilled(next.id, date: 0))
            }
        }
        return (planned, outcome)
    }
}
