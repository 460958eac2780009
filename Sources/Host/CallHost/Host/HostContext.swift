// HostContext: what every part of the host has at hand.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop
import Logging

/// The surroundings of the host, the core to be read, and the queue that facts go into.
@LoopActor
final class HostContext {
    let configuration: HostConfiguration
    let log: Logger
    let clock: any HostClock
    let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.invalidArguments.busName)
    let identifiers: WireIdentifiers
    /// What others make the log and the signal Anomaly say.
    let notices: NoticeBook
    /// The bus, while it is there.
    weak var bus: Bus?
    /// What is wrong with files of settings, as sentences by the names of the files.
    private(set) var settingsProblems: [String: String] = [:]
    private let queue: FactQueue
    private var generator = SystemRandomNumberGenerator()

    init(_ configuration: HostConfiguration, log: Logger, clock: any HostClock, queue: FactQueue) {
        self.configuration = configuration
        self.log = log
        self.clock = clock
        self.queue = queue
        identifiers = WireIdentifiers(seed: CallID.random(using: &generator))
        notices = NoticeBook(log: log, clock: clock)
        notices.onDropped = { [weak self] in self?.sendAnomaly("dropped", .system, $0) }
    }

    /// The core, to be read.
    var core: CallMachine { queue.machine }

    func newCallID() -> CallID { CallID.random(using: &generator) }

    /// Submits a fact. One that arises while another is being worked on waits its turn.
    func submit(_ fact: Input) { queue.submit(fact) }

    /// Submits a request and hands its one reply to `then`.
    func ask(_ request: Request, then: @escaping @LoopActor (Reply) -> Void) { queue.ask(request, then: then) }

    /// Submits a provider's report and hands its one reply to `then`.
    func submit(_ report: Report, by provider: ProviderID, then: @escaping @LoopActor (Reply) -> Void) {
        queue.submit(report, by: provider, then: then)
    }

    func arm(_ timer: TimerID, at moment: Instant) { queue.arm(timer, at: moment) }
    func disarm(_ timer: TimerID) { queue.disarm(timer) }

    /// Keeps what is wrong with a file of settings for `Health`; nil for nothing.
    func noteProblem(_ problem: String?, ofFile name: String) { settingsProblems[name] = problem }

    /// Logs and signals that somebody or something misbehaved, unless there is too much of that.
    ///
    /// - Parameter owner: who did; nil for anybody.
    func anomaly(_ kind: String, _ object: ObjectPath, _ text: String, by owner: Owner?) {
        if notices.count(owner) { sendAnomaly(kind, object, text) }
    }

    private func sendAnomaly(_ kind: String, _ object: ObjectPath, _ text: String) {
        log.notice("\(kind) \(object): \(text)")
        tree.emit(CallSystemObject.anomaly, from: .system, kind, object, text)
    }
}

/// Turns the core's numbers into UUIDs (version 8) that differ from those of any other run.
struct WireIdentifiers: Sendable {
    private let run: UInt64

    /// - Parameter seed: anything random; the run's identity.
    init(seed: CallID) {
        run = seed.high & ~0xF000 | 0x8000
    }

    func text(of action: ActionID) -> String { uuid(action.number, kind: 0).description }
    func text(of transaction: TransactionID) -> String { uuid(transaction.number, kind: 1).description }

    /// Variant bits, then one bit for the kind, then the number.
    private func uuid(_ number: UInt64, kind: UInt64) -> CallID {
        CallID(high: run, low: 1 << 63 | kind << 61 | number & (1 << 61 - 1))
    }
}
