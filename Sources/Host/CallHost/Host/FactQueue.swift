// FactQueue: facts go into the core one by one, and what follows from them is carried out in order.

package import CallCore
import CallModel
import CallScenario
import EventLoop
import Files
import Logging

/// One fact, when it arrived, and what follows from it.
package struct Step {
    package let input: Input
    package let moment: Instant
    package let effects: Effects
}

/// Has the core, its timers and those who wait for its replies.
@LoopActor
final class FactQueue {
    private(set) var machine: CallMachine
    /// Carries one effect of a step out.
    var carryOut: @LoopActor (Effect, Step) -> Void = { _, _ in }
    /// Called with what follows from a fact, before that is carried out.
    var onDecision: @LoopActor (Effects) -> Void = { _ in }
    /// Has the channels hand over what has arrived on them.
    var handleArrived: @LoopActor () -> Void = {}
    /// Called with each fact and what followed from it, once that has been carried out.
    var onStep: (@LoopActor (Step) -> Void)?

    private let clock: any HostClock
    private let log: Logger
    private let stepLog: StepLog
    private var recorder: Recorder?
    /// The facts that wait to be taken in.
    private var facts: [Input] = []
    /// The steps whose effects have been carried out but for what is to be told.
    private var untold: [Step] = []
    private var isWorking = false
    private var timers: [TimerID: any HostTimer] = [:]
    /// What is to happen when the core replies; each entry is used once.
    private var replies: [ReplyID: @LoopActor (Reply) -> Void] = [:]
    private var lastReply: UInt64 = 0

    init(_ machine: CallMachine, clock: any HostClock, log: Logger, stepLog: StepLog) {
        self.machine = machine
        self.clock = clock
        self.log = log
        self.stepLog = stepLog
    }

    // MARK: facts

    /// Takes in one fact. A fact that arises while another is being worked on waits its turn.
    func submit(_ input: Input) {
        facts.append(input)
        work()
    }

    /// Submits a request and hands its one reply to `then`.
    func ask(_ request: Request, then: @escaping @LoopActor (Reply) -> Void) {
        submit(.requested(request, reply: add(then)))
    }

    /// Submits a provider's report and hands its one reply to `then`.
    func submit(_ report: Report, by provider: ProviderID, then: @escaping @LoopActor (Reply) -> Void) {
        submit(.reported(report, by: provider, reply: add(then)))
    }

    /// Carries out what each fact asks for, and its replies, at once; tells the rest when no fact is waiting. All of it is
    /// told before the loop reads the next message, so a question asked after a reply is answered after the signals.
    private func work() {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        while true {
            if !facts.isEmpty {
                let step = decide(facts.removeFirst())
                for effect in step.effects.ask { carryOut(effect, step) }
                for effect in step.effects.reply { carryOut(effect, step) }
                untold.append(step)
            } else if !untold.isEmpty {
                tell(untold.removeFirst())
            } else {
                return
            }
        }
    }

    private func decide(_ input: Input) -> Step {
        stepLog.note(input)
        let now = clock.now
        let step = Step(input: input, moment: now, effects: machine.apply(input, at: now))
        assertSound()
        onDecision(step.effects)
        stepLog.note(step.effects, at: now)
        return step
    }

    private func tell(_ step: Step) {
        record(step)
        for effect in step.effects.tell { carryOut(effect, step) }
        onStep?(step)
    }

    private func assertSound() {
        #if DEBUG
            for violation in machine.violations() { log.critical("invariant broken: \(violation)") }
        #endif
    }

    // MARK: replies

    /// How many wait for a reply.
    var awaitedReplies: Int { replies.count }

    func answer(_ id: ReplyID, with reply: Reply) { replies.removeValue(forKey: id)?(reply) }

    private func add(_ then: @escaping @LoopActor (Reply) -> Void) -> ReplyID {
        lastReply += 1
        let id = ReplyID(lastReply)
        replies[id] = then
        return id
    }

    // MARK: timers

    func arm(_ timer: TimerID, at moment: Instant) {
        timers[timer] = clock.timer(at: moment) { [weak self] in
            guard let self else { return }
            // What has arrived was in time, even if nobody has read it yet.
            handleArrived()
            guard timers.removeValue(forKey: timer) != nil else { return }
            submit(.timerFired(timer))
        }
    }

    func disarm(_ timer: TimerID) { timers[timer] = nil }

    // MARK: the recording

    /// Records from now on; to be called before anything has happened. If the file cannot be written later, that is logged
    /// and the recording ends.
    ///
    /// - Throws: If the file cannot be written.
    func record(to path: String, _ recording: Recording) throws(SystemError) {
        recorder = try Recorder(to: try FileAppender(path), recording)
        log.info("recording to \(path)")
    }

    private func record(_ step: Step) {
        guard let recorder else { return }
        do throws(SystemError) {
            try recorder.note(step)
        } catch {
            log.error("the recording ends here: \(error)")
            self.recorder = nil
        }
    }
}

/// A recording and where it goes.
@LoopActor
private final class Recorder {
    private let file: FileAppender
    private var recording: Recording

    init(to file: FileAppender, _ recording: Recording) throws(SystemError) {
        self.file = file
        self.recording = recording
        try file.append(recording.header)
    }

    func note(_ step: Step) throws(SystemError) {
        try file.append(recording.block(step.input, step.effects, at: step.moment))
    }
}

/// Writes facts at the level debug and their effects at the level trace. Unless identities are logged, the lines have
/// the pseudonyms that a recording of the same run has.
@LoopActor
final class StepLog {
    private let log: Logger
    private var pseudonyms: Pseudonyms?

    init(_ log: Logger, keepsIdentities: Bool) {
        self.log = log
        pseudonyms = keepsIdentities ? nil : Pseudonyms()
    }

    func note(_ input: Input) {
        guard log.logLevel <= .debug else { return }
        log.debug("\(pseudonyms?.replaced(input) ?? input)")
    }

    func note(_ effects: Effects, at moment: Instant) {
        guard log.logLevel <= .debug else { return }
        // At both levels, so that both have the same pseudonyms.
        let replaced = effects.replacing { pseudonyms?.replaced($0) ?? $0 }
        guard log.logLevel <= .trace else { return }
        for line in replaced.lines(at: moment) { log.trace("\(line)") }
    }
}
