// Runs the commands of scenario files.

package import CallCore
package import CallModel

/// A command is an input in its text form, or one of these:
///
/// - `given …`: the same without a transcript, for what other files show.
/// - `advance 5000`: lets that many ms pass; timers fire as they come due.
/// - `elapse 5000`: lets that many µs pass in which no timer fires.
/// - `fulfil-all`: every provider does as it was told, no caller is known and every call let through, until nothing is
///   owed any more.
/// - `wait-out`: lets time pass, in which no provider says a word, until nobody waits any more.
/// - `rest`: says who still waits, `gone`: which calls are still there; both are violations.
/// - `explain A`: the causes of a call's state. `check`: all live and lingering calls.
/// - `plan client :1.1: answer B`: what the request would lead to.
package struct ScenarioRunner {
    package var shell: ScenarioShell
    package private(set) var latestReply: UInt64 = 0
    package private(set) var violations: [String] = []
    package private(set) var history = History()
    package private(set) var steps = 0
    /// Whether commands return their transcripts.
    package var isTalkative = true
    /// Whether the machine's invariants are checked after each input.
    package var checksInvariants = true
    /// Whether the steps are kept; invariants are not checked then.
    package var keepsSteps = false
    package private(set) var keptSteps: [ScenarioStep] = []

    /// Called with each input and the machine before it.
    package typealias Watch = (CallMachine, Input) -> Void
    package var watch: Watch?

    package init(_ machine: CallMachine = CallMachine(), fault: ScenarioShell.Fault? = nil) {
        shell = ScenarioShell(machine, fault: fault)
    }

    /// Runs one line of a file.
    ///
    /// - Parameter change: makes another command of it.
    package mutating func run(
        _ line: String, change: (ScenarioCommand) -> ScenarioCommand = { $0 }
    ) -> [String] {
        do {
            return run(change(try ScenarioCommand(line: line, reply: ReplyID(latestReply + 1))))
        } catch {
            violations.append("invalid: \(line): \(error)")
            return ["invalid: \(error)"]
        }
    }

    private mutating func run(_ command: ScenarioCommand) -> [String] {
        switch command {
        case .given(let command):
            _ = run(command)
            return []
        case .input(let input): return step(input)
        case .advance(let milliseconds): return advance(to: shell.now.uptime + UInt64(milliseconds) * 1_000)
        case .elapse(let microseconds):
            shell.elapse(microseconds)
            return []
        case .fulfilAll: return fulfilAll()
        case .waitOut: return waitOut()
        case .rest: return note(history.unrest(shell.machine), after: "rest")
        case .gone: return note(history.remains(shell.machine), after: "gone")
        case .explain(let call): return explain(call)
        case .check: return answer(.check, shell.machine.table(since: Self.start))
        case .plan(let request): return answer(.plan(request), plan(request))
        }
    }

    package static let start = ScenarioShell().now.date

    package mutating func step(_ input: Input, isDue: Bool = false) -> [String] {
        switch input {
        case .reported(_, _, let reply), .requested(_, let reply): latestReply = max(latestReply, reply.number)
        default: break
        }
        watch?(shell.machine, input)
        let effects = shell.apply(input)
        steps += 1
        let checks = checksInvariants && !keepsSteps
        let found = (checks ? shell.machine.violations() : []) + history.check(input, effects, shell)
        let said = found.isEmpty ? [] : note(found, after: input.description)
        guard isTalkative || keepsSteps else { return [] }
        let lines = effects.lines(at: shell.now)
        if keepsSteps {
            let time = shell.now.date.span(since: Self.start)
            keptSteps.append(ScenarioStep(input: input, time: time, isDue: isDue, effects: effects, lines: lines))
        }
        return lines + said
    }

    private mutating func note(_ found: [String], after command: String) -> [String] {
        for violation in found { violations.append("after \(command): \(violation)") }
        return found.map { "VIOLATION \($0)" }
    }

    private mutating func advance(to end: Uptime) -> [String] {
        var lines: [String] = []
        while let timer = shell.nextTimer(until: end) {
            let input = Input.timerFired(timer)
            let said = step(input, isDue: true)
            if isTalkative { lines += [input.description] + said }
        }
        return lines + note(history.overdue(shell), after: "advance")
    }

    /// An hour, in µs: a longer wait counts as endless.
    private static let forever: UInt64 = 3_600_000_000

    /// Checks that nothing waits longer than the sum of the times granted to providers.
    private mutating func waitOut() -> [String] {
        var lines: [String] = []
        let (start, granted) = (shell.now.uptime, history.granted - history.remaining(at: shell.now))
        while !history.unrest(shell.machine).isEmpty, let next = shell.alarms.first?.uptime {
            lines += advance(to: max(next, shell.now.uptime))
            let waited = shell.now.uptime - start
            if waited > min(history.granted - granted, Self.forever) {
                return lines
                    + note(["nobody is to answer, and yet something waits since \(waited) µs"], after: "wait-out")
            }
        }
        return lines
    }

    private mutating func fulfilAll() -> [String] {
        var lines: [String] = []
        while true {
            let input: Input
            if let action = shell.owed.first {
                input = .actionFulfilled(action.id, date: 0)
            } else if let provider = shell.releasing.first {
                input = .audioReleased(provider)
            } else if let asked = shell.preparations.first {
                input = .audioPrepared(asked.agent, for: asked.provider)
            } else if let call = shell.lookUps.first {
                input = .lookedUp(call, CallerFacts())
            } else if let asked = shell.screenings.first {
                input = .screened(asked.call, by: asked.screener, ScreeningVerdict(.allow))
            } else {
                return lines
            }
            let said = step(input)
            if isTalkative { lines += [input.description] + said }
        }
    }

    private func explain(_ id: CallID) -> [String] {
        guard shell.machine.calls[id] != nil else { return ["no call \(id.scenarioText)"] }
        return shell.machine.causes(of: id).map { cause in
            let text = cause.text(client: { $0 }, transaction: { "t\($0.number)" })
            return "because +\(cause.at.date.span(since: Self.start) / 1_000)ms \(text)"
        }
    }

    private mutating func answer(_ question: Question, _ lines: [String]) -> [String] {
        if keepsSteps, !keptSteps.isEmpty { keptSteps[keptSteps.count - 1].questions.append((question, lines)) }
        return lines
    }

    private func plan(_ request: Request) -> [String] {
        do {
            let plan = try shell.machine.plan(request, at: shell.now).get()
            return plan.map { step in
                let action = step.performed
                var line = "would perform on \(action.provider): \(action.action) rule=\(action.rule.number)"
                if let provider = step.releasesAudio { line += " releases-audio=\(provider)" }
                if let provider = step.grantsAudio { line += " grants-audio=\(provider)" }
                return line
            }
        } catch {
            return ["would be refused: \(error)"]
        }
    }
}

extension CallMachine {
    /// One line per call, oldest first; dates in ms since `start`.
    package func table(since start: WallTime) -> [String] {
        calls.values.sorted { ($0.startedAt, $0.id.low) < ($1.startedAt, $1.id.low) }.map { call in
            var line = "\(call.id.scenarioText) \(call.state.rawValue) of \(call.provider)"
            if let holder = call.heldBy { line += " held-by=\(holder.rawValue)" }
            if let other = call.heldFor { line += " held-for=\(other.scenarioText)" }
            if let group = call.group { line += " group=\(group.number)" }
            if call.muted { line += " muted" }
            if let translation = call.translation { line += " translation=\(translation)" }
            func date(_ name: String, _ date: WallTime) {
                if date != 0 {
                    line += " \(name)=\(Int64(bitPattern: date.microseconds &- start.microseconds) / 1_000)"
                }
            }
            date("started", call.startedAt)
            date("connected", call.connectedAt)
            date("ended", call.endedAt)
            if let reason = call.endReason, let origin = call.endedBy {
                line += " \(reason.rawValue) by \(origin.rawValue)"
            }
            return line
        }
    }
}
