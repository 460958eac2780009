// A course of events, watched: what the simulation plays and a shorter transcript replays.

package import CallCore
package import CallModel
package import CallScenario

/// Runs moves, keeps them, and knows the first thing that went wrong.
package struct Play {
    /// One line of a scenario file.
    package enum Move: Sendable {
        case input(Input)
        case command(String)

        package var text: String {
            switch self {
            case .input(let input): input.description
            case .command(let command): command
            }
        }
    }

    private var runner: ScenarioRunner
    package private(set) var moves: [Move] = []
    package private(set) var failure: String?
    var movesBeforeRest: Int?
    /// The transcript, move by move, where it is kept.
    private var transcript: [[String]] = []
    private let isRecording: Bool

    package init(_ policy: Policy = .desktop, isRecording: Bool = false, fault: World.Fault? = nil) {
        runner = ScenarioRunner(CallMachine(policy: policy), fault: fault)
        runner.isTalkative = isRecording
        self.isRecording = isRecording
    }

    package init(
        _ lines: [String], _ policy: Policy, isRecording: Bool = false, fault: World.Fault? = nil,
        watch: ScenarioRunner.Watch? = nil
    ) {
        self.init(policy, isRecording: isRecording, fault: fault)
        runner.watch = watch
        for line in lines where failure == nil { run(line) }
    }

    package var world: World { runner.world }
    package var machine: CallMachine { runner.world.machine }
    package var counts: [String: Int] { runner.history.counts }
    package var steps: Int { runner.steps }
    package var lines: [String] { moves.map(\.text) }
    package var nextReply: ReplyID { ReplyID(runner.latestReply + 1) }
    package var watch: ScenarioRunner.Watch? {
        get { runner.watch }
        set { runner.watch = newValue }
    }
    var owed: [PerformedAction] { runner.world.owed }
    var releasing: [ProviderID] { runner.world.releasing }
    var live: [Call] {
        machine.calls.values.filter { $0.state != .ended }.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    }

    package mutating func run(_ input: Input) {
        guard failure == nil else { return }
        moves.append(.input(input))
        take(runner.step(input))
    }

    package mutating func run(_ command: String) {
        guard failure == nil else { return }
        moves.append(.command(command))
        take(runner.run(command))
    }

    private mutating func take(_ said: [String]) {
        if isRecording { transcript.append(said) }
        failure = runner.violations.first
    }

    /// The moves as a scenario file.
    package func scenario(_ title: String) -> Scenario {
        let blocks = zip(moves, transcript).map { Scenario.Block(commands: [$0.text], transcript: $1) }
        return Scenario(title: title, rules: [], policy: machine.policy, blocks: blocks)
    }
}
