// A course of events as lines of text, watched: what the simulation plays and a shorter transcript replays.

import CallCore
import CallModel
import CallScenario

/// Runs lines, keeps them, and knows the first thing that went wrong.
struct Play {
    private var runner = ScenarioRunner()
    private(set) var lines: [String] = []
    private(set) var transcript: [[String]] = []
    private(set) var failure: String?
    /// Whether transcripts are kept.
    private let isRecording: Bool

    init() { self.init([]) }

    init(_ lines: [String], isRecording: Bool = false) {
        self.isRecording = isRecording
        runner.isTalkative = isRecording
        for line in lines where failure == nil { run(line) }
    }

    var world: World { runner.world }
    var machine: CallMachine { runner.world.machine }
    var counts: [String: Int] { runner.history.counts }
    var owed: [PerformedAction] { runner.world.owed }
    var releasing: [ProviderID] { runner.world.releasing }
    var date: UInt64 { runner.world.now.date }
    var live: [Call] {
        machine.calls.values.filter { $0.state != .ended }.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    }
    var nextReply: ReplyID { ReplyID(runner.latestReply + 1) }
    var steps: Int { runner.steps }

    mutating func run(_ input: Input) { run(input.description) }

    mutating func run(_ line: String) {
        guard failure == nil else { return }
        lines.append(line)
        let said = runner.run(line)
        if isRecording { transcript.append(said) }
        failure = runner.violations.first
    }

    /// Faults stop: providers obey and the clock runs. Then no one waits any more, and every call can be ended.
    mutating func comeToRest() {
        settle()
        guard failure == nil else { return }
        for call in live where call.state != .ringing || call.id.low % 2 == 0 {
            run(Input.requested(Request([.end(call.id, reason: "")], by: .client(":1.9")), reply: nextReply))
        }
        settle()
        for call in live {
            run(Input.requested(Request([.end(call.id, reason: "")], by: .client(":1.9")), reply: nextReply))
        }
        settle()
        guard failure == nil else { return }
        if let call = live.first { failure = "at rest: call \(call.id) cannot be ended" }
    }

    private mutating func settle() {
        run("fulfil-all")
        run("advance 6000")
        run("fulfil-all")
        guard failure == nil else { return }
        if let reply = runner.history.open.min(by: { $0.number < $1.number }) {
            failure = "at rest: #\(reply.number) was never answered"
        }
        if !machine.isIdle { failure = "at rest: transactions are still under way" }
    }

    /// The lines as a scenario file.
    var scenario: Scenario {
        let blocks = zip(lines, transcript).map { Scenario.Block(commands: [$0], transcript: $1) }
        return Scenario(title: failure ?? "A course of events", rules: [], blocks: blocks)
    }
}

extension Play {
    /// The fewest lines, found by leaving out, that still lead to a failure of the same kind.
    static func shortest(_ lines: [String], atRest: Bool) -> Play {
        func fails(_ lines: [String]) -> Bool {
            var play = Play(lines)
            if atRest { play.comeToRest() }
            return play.failure != nil
        }
        var best = lines
        var size = max(1, best.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < best.count {
                let candidate = Array(best[..<start]) + best[min(start + size, best.count)...]
                if fails(candidate) {
                    best = candidate
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            size = max(1, size / 2)
        }
        var play = Play(best, isRecording: true)
        if atRest { play.comeToRest() }
        return play
    }
}
