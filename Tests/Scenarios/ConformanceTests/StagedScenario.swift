// A scenario for the stage: the events outside, and what must come of them.

import CallCore
import CallModel
import CallScenario
import CallStage

struct StagedScenario {
    struct Step {
        let event: StageEvent
        let step: ScenarioStep
        /// Who was asked about last, if the step is an answer.
        fileprivate let asked: Caller?

        /// The input as the host sees it.
        var input: Input {
            if case .impossible = event { return step.input }
            guard case .lookedUp(let call, var facts) = step.input else { return step.input.washed }
            facts.caller = facts.caller ?? asked
            return .lookedUp(call, facts)
        }
    }

    let steps: [Step]
    /// What those outside must have heard in the end.
    let heard: StageTranscript
    /// Inputs that nobody outside can bring about, with the reason.
    let impossible: [String]

    /// What happens, whatever time is asked for.
    var inputs: [Input] {
        steps.map { step in
            guard case .requested(var request, let reply) = step.step.input else { return step.step.input }
            request.timeout = request.timeout.map { _ in 1 }
            return .requested(request, reply: reply)
        }
    }

    init(_ scenario: Scenario, speed: UInt32 = 1) {
        var source = StageEventSource()
        var heard = StageTranscript()
        var rejects: Set<Int> = []
        var steps: [Step] = []
        var impossible: [String] = []
        var asked: [CallID: Caller] = [:]
        for step in scenario.steps(speed: speed) {
            let event = source.event(for: step.input, isDue: step.isDue)
            if case .request(let request, let label) = event, ScriptedClient.isReject(request) { rejects.insert(label) }
            if case .impossible(let reason) = event { impossible.append("\(step.input): \(reason)") }
            source.note(step.effects)
            heard.add(step.effects, label: { source.label(of: $0) }, isReject: rejects.contains)
            let subject: Caller? = if case .lookedUp(let call, _) = step.input { asked[call] } else { nil }
            steps.append(Step(event: event, step: step, asked: subject))
            for case .lookUp(let call, let handle) in step.effects { asked[call] = Caller(handle) }
        }
        self.steps = steps
        self.heard = heard
        self.impossible = impossible
    }
}

extension StageTranscript {
    /// Where the two differ, in words; empty if they do not.
    func differences(from other: StageTranscript) -> [String] {
        var found: [String] = []
        func compare(_ who: String, _ mine: [String], _ others: [String]) {
            guard mine != others else { return }
            let index = zip(mine, others).prefix { $0 == $1 }.count
            let heard = index < mine.count ? mine[index] : "nothing"
            let expected = index < others.count ? others[index] : "nothing"
            found.append("\(who) heard as number \(index + 1): \(heard), expected: \(expected)")
        }
        for id in Set(providers.keys).union(other.providers.keys).sorted(by: { $0.rawValue < $1.rawValue }) {
            compare("provider \(id)", providers[id] ?? [], other.providers[id] ?? [])
        }
        for label in Set(replies.keys).union(other.replies.keys).sorted() {
            compare("question \(label)", replies[label] ?? [], other.replies[label] ?? [])
        }
        for id in Set(screeners.keys).union(other.screeners.keys).sorted(by: { $0.number < $1.number }) {
            compare("screener \(id)", screeners[id] ?? [], other.screeners[id] ?? [])
        }
        for id in Set(audioAgents.keys).union(other.audioAgents.keys).sorted(by: { $0.number < $1.number }) {
            compare("audio agent \(id)", audioAgents[id] ?? [], other.audioAgents[id] ?? [])
        }
        compare("the bus", signals, other.signals)
        return found
    }
}
