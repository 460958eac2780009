// Every scenario file is replayed, and its transcript compared word for word.

import CallCore
import CallModel
import CallScenario
import CallSimulation
import Foundation
import Testing

@Suite struct ScenarioTests {
    static let isRecording = ProcessInfo.processInfo.environment["RECORD"] == "1"

    @Test(arguments: ScenarioFiles.played) func transcriptIsAsRecorded(_ name: String) throws {
        let scenario = try ScenarioFiles.read(name)
        let (now, violations) = scenario.recorded()
        for violation in violations { Issue.record("\(name): \(violation)") }
        let isIncomplete = scenario.blocks.contains { $0.transcript == nil }
        if Self.isRecording || isIncomplete {
            try now.text.write(to: ScenarioFiles.all.url(of: name), atomically: true, encoding: .utf8)
            if !Self.isRecording { Issue.record("\(name): recorded what was missing; review it") }
            return
        }
        for (old, new) in zip(scenario.blocks, now.blocks) {
            #expect(new.transcript == old.transcript, "\(name), after: \(old.commands.joined(separator: " / "))")
        }
    }

    @Test func everyRuleOfTheTableIsShown() throws {
        var shown: [Int: Int] = [:]
        for name in ScenarioFiles.names {
            for rule in try ScenarioFiles.read(name).rules { shown[rule, default: 0] += 1 }
        }
        print("rules shown:", shown.sorted { $0.key < $1.key }.map { "\($0.key)×\($0.value)" }.joined(separator: " "))
        #expect(ScenarioFiles.names.count >= 60)
        for rule in 1...24 { #expect(shown[rule] != nil, "no scenario shows rule \(rule)") }
        for rule in shown.keys { #expect((1...24).contains(rule), "there is no rule \(rule)") }
    }

    @Test func everyScenarioIsNamedInTheArbitrationDocument() throws {
        let document = ScenarioFiles.repository.appending(path: "docs/arbitration.md")
        let text = try String(contentsOf: document, encoding: .utf8)
        for name in ScenarioFiles.names {
            #expect(text.contains(name), "docs/arbitration.md does not name \(name)")
        }
    }
}
