// One file, played with the real daemon.

import CallCore
import CallModel
import CallScenario
import CallSimulation
import CallStage
import EventLoop
import TestSupport

@LoopActor
enum DaemonRun {
    enum Outcome: Sendable {
        case same
        /// Nobody outside can do what it takes.
        case impossible([String])
        /// What happens first hangs on less time than processes need.
        case tooFine(String)
        case different(String)
    }

    /// Time passes so many times faster in files that wait; slower at each further try, if what happened in between took
    /// too long.
    private nonisolated static let speeds: [UInt32] = [5, 2, 1]

    static func of(_ name: String) async -> Outcome {
        do {
            let scenario = try ScenarioFiles.read(name)
            let staged = StagedScenario(scenario)
            let impossible = staged.impossible + Self.onlyInside(scenario, staged)
            guard impossible.isEmpty else { return .impossible(impossible) }
            var outcome = Outcome.same
            let takesTime = (staged.steps.last?.step.time ?? 0) > 0
            for speed in takesTime ? speeds : [1] {
                let accelerated = StagedScenario(scenario, speed: speed)
                guard accelerated.inputs == staged.inputs else {
                    return .tooFine("its steps differ when it is played \(speed) times faster")
                }
                if name.hasPrefix("cells/"), accelerated.isTimedFinely(within: 40) {
                    return .tooFine("two events are close")
                }
                outcome = try await play(scenario, accelerated, speed)
                if case .same = outcome { break }
            }
            return outcome
        } catch {
            return .different("\(error)")
        }
    }

    /// What can be played in the host's own process, but not from outside it.
    private static func onlyInside(_ scenario: Scenario, _ staged: StagedScenario) -> [String] {
        var reasons = scenario.limits == Limits() ? [] : ["the daemon's limits are fixed"]
        for step in staged.steps {
            switch step.event {
            case .register(let id, _, isPackaged: false, _): reasons.append("\(id) lies in no folder of the user's")
            case .register(let id, _, _, .some): reasons.append("\(id) has a plugin or a connection of its own")
            case .lookUp, .lookUpExpected, .tell:
                reasons.append("\(step.step.input): the store says that, and no client")
            default: break
            }
        }
        return reasons
    }

    private static func play(_ scenario: Scenario, _ staged: StagedScenario, _ speed: UInt32) async throws -> Outcome {
        let events = staged.steps.map(\.event)
        var providers: Set<ProviderID> = []
        for case .register(let id, _, _, _) in events { providers.insert(id) }
        let stage = try await DaemonStage(
            providers, policy: scenario.policy, deadlines: scenario.deadlines(speed: speed))
        var lag = 0
        for (number, step) in staged.steps.enumerated() {
            let what = "step \(number + 1), \(step.step.input), speed \(speed)"
            do {
                try await stage.play(step.event, step.step)
                let block = try await stage.blocks.next(within: .seconds(120))
                let input = step.input.description
                if RealTime.plain(block.input) != RealTime.plain(input) {
                    return .different("\(what): \(block.input) happened instead")
                }
                lag = max(lag, stage.elapsedMilliseconds - Int(step.step.time / 1_000) + 1)
                if !RealTime.isSame(block.lines, step.step.lines, lag: lag) {
                    return .different("\(what): \(block.lines), expected: \(step.step.lines)")
                }
                if step.step.effects.contains(.stop) { continue }
                for (question, answer) in step.step.questions {
                    let found = RealTime.plain(answer: try await stage.ask(question))
                    let expected = RealTime.plain(answer: answer)
                    if found != expected { return .different("\(what), \(question): \(found), expected: \(expected)") }
                }
            } catch {
                return .different("\(what): \(error); \(stage.log)")
            }
        }
        let hasStopped = staged.steps.last?.step.effects.contains(.stop) ?? false
        do {
            try await stage.settle(providers, hasStopped: hasStopped)
        } catch {
            return .different("in the end: \(error); \(stage.log)")
        }
        // A connection that ends with the daemon is as good as a death to it.
        let pending = hasStopped ? [] : stage.blocks.pending.map(\.input)
        if !pending.isEmpty { return .different("and then: \(pending)") }
        if stage.log.contains("invariant broken") { return .different(stage.log) }
        var heard = stage.heard.withoutDates
        let expected = staged.heard.withoutDates
        if hasStopped { heard.signals = Array(heard.signals.prefix(expected.signals.count)) }
        let differences = heard.differences(from: expected)
        return differences.isEmpty ? .same : .different("\(differences)")
    }
}

extension StageTranscript {
    fileprivate var withoutDates: StageTranscript {
        var copy = self
        copy.signals.removeAll(where: RealTime.isAboutDates)
        return copy
    }
}
