// Every scenario file is replayed, and its transcript compared word for word.

import CallCore
import CallModel
import CallScenario
import Foundation
import Testing

enum ScenarioFiles {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Scenarios/Files").standardizedFileURL

    /// Those that show a rule.
    static let names = names(in: "")
    /// Those that show nothing but a cell of the table.
    static let cells = names(in: "cells/")

    private static func names(in part: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + part)) ?? []
        return names.filter { $0.hasSuffix(".scenario") }.sorted().map { part + $0 }
    }

    static func read(_ name: String) throws -> Scenario {
        try Scenario(text: String(contentsOf: folder.appending(path: name), encoding: .utf8))
    }

    static let isRecording = ProcessInfo.processInfo.environment["RECORD"] == "1"
}

@Suite struct ScenarioTests {
    @Test(arguments: ScenarioFiles.names + ScenarioFiles.cells) func transcriptIsAsRecorded(_ name: String) throws {
        let scenario = try ScenarioFiles.read(name)
        let (now, violations) = scenario.recorded()
        for violation in violations { Issue.record("\(name): \(violation)") }
        let isIncomplete = scenario.blocks.contains { $0.transcript == nil }
        if ScenarioFiles.isRecording || isIncomplete {
            try now.text.write(to: ScenarioFiles.folder.appending(path: name), atomically: true, encoding: .utf8)
            if !ScenarioFiles.isRecording { Issue.record("\(name): recorded what was missing; review it") }
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
        for rule in 1...23 { #expect(shown[rule] != nil, "no scenario shows rule \(rule)") }
        for rule in shown.keys { #expect((1...23).contains(rule), "there is no rule \(rule)") }
    }

    @Test func everyScenarioIsNamedInTheArbitrationDocument() throws {
        let document = ScenarioFiles.folder.appending(path: "../../docs/arbitration.md").standardizedFileURL
        let text = try String(contentsOf: document, encoding: .utf8)
        for name in ScenarioFiles.names {
            #expect(text.contains(name.dropLast(".scenario".count)), "docs/arbitration.md does not name \(name)")
        }
    }
}
