// Runs moves, keeps them, and reports the first promise that is broken.

package import CallCore
package import CallModel
package import CallScenario

/// What the simulation makes its moves with, and what replays them when fewer are tried.
package struct MoveRunner {
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
    var movesBeforeSettling: Int?
    /// The transcript, move by move, where it is kept.
    private var transcript: [[String]] = []
    private let isRecording: Bool

    package init(_ policy: Policy = .desktop, isRecording: Bool = false, fault: ScenarioShell.Fault? = nil) {
        runner = ScenarioRunner(CallMachine(policy: policy), fault: fault)
        runner.isTalkative = isRecording
        self.isRecording = isRecording
    }

    /// Runs these lines until one fails.
    package init(_ lines: [String], _ policy: Policy, isRecording: Bool = false, fault: ScenarioShell.Fault? = nil) {
        self.init(policy, isRecording: isRecording, fault: fault)
        for line in lines where failure == nil { run(line) }
    }

    package var shell: ScenarioShell { runner.shell }
    package var machine: CallMachine { runner.shell.machine }
    package var counts: [String: Int] { runner.history.counts }
    package var steps: Int { runner.steps }
    package var lines: [String] { moves.map(\.text) }
    package var nextReply: ReplyID { ReplyID(runner.latestReply + 1) }
    package var watch: ScenarioRunner.Watch? {
        get { runner.watch }
        set { runner.watch = newValue }
    }
    /// Whether the machine's invariants are checked after each input.
    package var checksInvariants: Bool {
        get { runner.checksInvariants }
        set { runner.checksInvariants = newValue }
    }
    var owed: [PerformedAction] { runner.shell.owed }
    var releasing: [ProviderID] { runner.shell.releasing }
    var live: [Call] {
        machine.calls.values.filter { $0.state != .ended }.sorted { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
    }

    package mutating func run(_ move: Move) {
        switch move {
        case .input(let input): run(input)
        case .command(let command): run(command)
        }
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

    private mutating func take(_ lines: [String]) {
        if isRecording { transcript.append(lines) }
        failure = runner.violations.first
    }

    /// The moves as a scenario file.
    package func scenario(_ title: String) -> Scenario {
        let blocks = zip(moves, transcript).map { Scenario.Block(commands: [$0.text], transcript: $1) }
        return Scenario(title: title, rules: [], policy: machine.policy, blocks: blocks)
    }
}
