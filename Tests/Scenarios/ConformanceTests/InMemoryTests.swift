// The second way: the real host on a clock of ours, with scripted providers and clients at the ends of its channels.

import CallCore
import CallScenario
import CallSimulation
import CallStage
import EventLoop
import TestSupport
import Testing

extension ThreeWays {
    @Suite @LoopActor struct InMemoryTests {
        @Test(arguments: ScenarioFiles.played) func transcriptIsThatOfTheCore(_ name: String) throws {
            let scenario = try ScenarioFiles.read(name)
            let staged = StagedScenario(scenario)
            let folder = try TemporaryFolder()
            let stage = Stage(
                deadlines: scenario.deadlines, limits: scenario.limits, policy: scenario.policy, folder: folder.path,
                start: ScenarioShell().now)
            for (index, step) in staged.steps.enumerated() {
                stage.play(step.event, step.step)
                guard index < stage.transcript.count else {
                    Issue.record("\(name): \(step.step.input) did not reach the core")
                    return
                }
                let (input, lines) = stage.transcript[index]
                #expect(input == step.input.description, "\(name)")
                #expect(lines == step.step.lines, "\(name), after \(input)")
                for (question, answer) in step.step.questions {
                    let isList = question == .check
                    #expect(
                        stage.ask(question) == (isList ? answer.sorted() : answer),
                        "\(name), after \(input): \(question)")
                }
            }
            #expect(stage.transcript.count == staged.steps.count, "\(name): \(stage.transcript.last?.input ?? "")")
            for difference in stage.heard.differences(from: staged.heard) { Issue.record("\(name): \(difference)") }
        }
    }
}
