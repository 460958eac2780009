// A recording is a scenario that leads to the same again, under other names.

import CallCore
import CallModel
import CallScenario
import CallSimulation
import Foundation
import Testing

@Suite struct RecordingTests {
    /// Records what happens in `scenario`, on a clock that began elsewhere.
    private func record(_ scenario: Scenario, keepsIdentities: Bool) -> String {
        var recording = Recording(
            Scenario(
                title: "Recorded", rules: [], policy: scenario.policy, deadlines: scenario.deadlines,
                limits: scenario.limits, blocks: []),
            keepsIdentities: keepsIdentities)
        var machine = scenario.machine
        var text = recording.header
        for step in scenario.steps() {
            let now = Instant(uptime: 77 + step.time, date: ScenarioRunner.start + step.time)
            let effects = machine.apply(step.input, at: now)
            text += recording.block(step.input, effects, at: now)
        }
        return text
    }

    @Test(arguments: ScenarioFiles.names, [false, true])
    func aRecordingLeadsToTheSameAgain(_ name: String, keepsIdentities: Bool) throws {
        let text = record(try ScenarioFiles.read(name), keepsIdentities: keepsIdentities)
        let recorded = try Scenario(text: text)
        #expect(recorded.text + "\n" == text)
        let (now, violations) = recorded.recorded()
        #expect(violations.isEmpty, "\(name): \(violations)")
        for (old, new) in zip(recorded.blocks, now.blocks) {
            #expect(new.transcript == old.transcript, "\(name), after: \(old.commands.joined(separator: " / "))")
        }
    }

    @Test func whoCallsWhomIsNotTold() throws {
        var pseudonyms = Pseudonyms()
        func told(_ line: String) throws -> String { pseudonyms.replaced(try Input(line: line)).description }
        let lines = [
            ("#1 request client :1.1: start A tel:555 contact=me", "start A phone-number:handle-1 contact=contact-1"),
            ("#2 request client :1.1: start B 555; start C 556", "start B generic:handle-1; start C generic:handle-2"),
            ("#3 request client :1.1: start D tel:112", "start D phone-number:112"),
            ("#4 request client :1.1: play-dtmf A 1234#", "play-dtmf A 00000"),
            ("#5 request client :1.1: end A reason=busy; end B", "end A reason=reason-1; end B"),
            ("fail a7 reason=busy", "fail a7 reason=reason-1"),
            ("#6 incoming P E handle=tel:556 name=Ann", "handle=phone-number:handle-2 name=name-1"),
            ("#7 update P E name=\"\"", "update P E name=\"\""),
            ("#8 update P E name=555", "update P E name=name-2"),
            ("#9 request client :1.1: set-held A on", "set-held A on"),
            ("looked-up E name=Ann contact=me image=/ann.png", "name=name-1 contact=contact-1 image=image-1"),
        ]
        for (line, expected) in lines { #expect(try told(line).hasSuffix(expected), "\(line)") }
        for (line, expected) in lines.reversed() { #expect(try told(line).hasSuffix(expected), "\(line)") }
    }

    @Test func noNumberIsTakenForAnEmergency() throws {
        var pseudonyms = Pseudonyms()
        _ = pseudonyms.replaced(try Input(line: "register P types=phone-number emergency=handle-1"))
        let told = pseudonyms.replaced(try Input(line: "incoming P E handle=tel:556"))
        #expect(told.description.hasSuffix("handle=phone-number:handle-2"))
    }

    private func handles(in input: Input) -> [Handle] {
        guard case .requested(let request, _) = input else { return [] }
        return request.actions.compactMap { if case .start(_, let start) = $0 { start.handle } else { nil } }
    }

    @Test func aNumberThatBecomesAnEmergencysLater() throws {
        var pseudonyms = Pseudonyms()
        let number = try Handle(type: .phoneNumber, value: "110")
        let call = CallAction.start(CallID(high: 0, low: 1), StartRequest(number))
        let request = Input.requested(Request([call], by: .client(":1.1")), reply: ReplyID(1))
        let before = try #require(handles(in: pseudonyms.replaced(request)).first)
        #expect(before.value == "handle-1")
        var configuration = ProviderConfiguration()
        configuration.emergencyNumbers = ["110"]
        let provider = try #require(ProviderID("Hotline"))
        guard
            case .providerReconfigured(_, let told) = pseudonyms.replaced(
                .providerReconfigured(provider, configuration))
        else { return #expect(Bool(false)) }
        #expect(Set(told.emergencyNumbers).isSuperset(of: [before.value, number.value]))
        #expect(handles(in: pseudonyms.replaced(request)) == [number])
    }

    @Test func theHeadSaysWhatIsUnusual() throws {
        var scenario = Scenario(title: "t", rules: [], policy: .ios, blocks: [])
        scenario.deadlines[.answer] = 200
        scenario.limits.calls = 10_000
        let block = "\nlose A\n----\n"
        #expect(
            scenario.header == "# t\n# rules:\n# policy: ios\n# deadlines: answer=200\n# limits: calls=10000\n")
        let read = try Scenario(text: scenario.header + block)
        #expect(read.text == scenario.header + block)
        #expect(read.machine.deadlines == scenario.deadlines && read.machine.limits == scenario.limits)
    }

    @Test func givenIsNotPiledUp() {
        let line = String(repeating: "given ", count: 100_000) + "check"
        let error = #expect(throws: Scenario.Malformed.self) { try Scenario(text: "# t\n# rules:\n\n\(line)\n") }
        #expect(error?.line == 4 && (error?.description.count ?? 0) < 300)
    }

    @Test func theDocumentsExampleIsOne() throws {
        let file = ScenarioFiles.repository.appending(path: "docs/scenarios.md")
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```\n")
        let example = try Scenario(text: try #require(parts.count > 2 ? parts[1] : nil))
        let (now, violations) = example.recorded()
        #expect(violations.isEmpty && now.text == example.text && example.text == parts[1], "\(now.text)")
    }

    @Test(arguments: [
        ("", 1), ("# t", 2), ("# t\n# rules: x\n\nlose A\n", 2), ("# t\n# rules:\n# limits: calls=-1\n\nlose A\n", 3),
        ("# t\n# rules:\n\nadvance soon\n", 4), ("# t\n# rules:\n\nlose A\ngiven explain ?\n", 5),
        ("# t\n# rules:\n\n", 4),
        ("# t\n# rules:\n# deadlines: answer=0\n\nlose A\n", 3),
        ("# t\n# rules:\n\nelapse 18446744073709551615\n", 4),
    ])
    func whatIsWrongIsSaidWithItsLine(text: String, line: Int) {
        let error = #expect(throws: Scenario.Malformed.self) { try Scenario(text: text) }
        #expect(error?.line == line, "\(error.map(\.description) ?? "")")
    }
}
