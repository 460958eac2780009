// The shell around the core: facts go in one by one, effects are carried out in order.

package import CallCore
import CallModel
public import DBus
public import EventLoop
public import Logging

/// Owns the machine and everything that its effects touch. Lives on the loop thread.
@LoopActor
public final class CallSystemHost {
    let configuration: HostConfiguration
    let log: Logger
    let tree = ObjectTree(invalidArgumentsErrorName: ErrorCode.invalidArguments.busName)
    var machine: CallMachine
    let providers = ProviderRegistry()
    let replies = ReplyBook()
    let clients = ClientBook()
    let observers = CallObservers()
    let screeners = ScreenerBook()
    var actions = ActionBook()
    let identifiers: WireIdentifiers
    lazy var plugins = PluginSupervisor(host: self)
    lazy var store = StoreSupervisor(host: self)
    lazy var earlyRequests = EarlyRequests(host: self)
    lazy var storeLookUp = StoreLookUp(store)
    lazy var recents = RecentsRecorder(host: self)
    /// The bus, while it is there.
    weak var bus: Bus?
    /// Called once when everything has ended after `shutDown`.
    public var onStopped: (@LoopActor () -> Void)?

    /// Told of each fact and what followed it, in words, once it has been carried out.
    package var onStep: (@LoopActor (Input, [String]) -> Void)?

    /// Whoever knows callers; while there is nobody, nothing is known of them.
    package weak var callerLookUp: (any CallerLookUp)? {
        didSet {
            if (callerLookUp != nil) != machine.looksUp { submit(.lookUpAvailable(callerLookUp != nil)) }
        }
    }
    /// Whoever keeps what outlives a call.
    package weak var follower: (any CallFollower)?

    var doNotDisturb = DoNotDisturbSettings()
    var doNotDisturbTimer: (any HostTimer)?
    var recorder: Recorder?
    let clock: any HostClock
    /// Who is at the far end of a channel that is neither the bus nor a worker's link.
    var guests: [ObjectIdentifier: String] = [:]
    private var timers: [TimerID: any HostTimer] = [:]
    private var inbox: [Input] = []
    /// What somebody waits for has been done of these, and the rest not yet.
    private var unfinished: [Step] = []
    /// The actions of these, among others, that have been answered: they need no timer.
    private(set) var answered: Set<ActionID> = []
    /// How long all of these can wait.
    private var patience = Step.Patience.beyondNextFact
    private var isWorking = false
    private var generator = SystemRandomNumberGenerator()

    public convenience init(configuration: HostConfiguration, log: Logger) {
        self.init(configuration: configuration, log: log, clock: SystemClock())
    }

    package init(configuration: HostConfiguration, log: Logger, clock: any HostClock) {
        self.configuration = configuration
        self.log = log
        self.clock = clock
        machine = CallMachine(
            deadlines: configuration.deadlines, limits: configuration.limits, policy: configuration.policy)
        identifiers = WireIdentifiers(seed: CallID.random(using: &generator))
        tree.beforeAnnouncing = { [weak self] in self?.work() }
        exportRoot()
    }

    /// Starts the plugins and the store. The bus may come before or after.
    public func start() {
        loadDoNotDisturb()
        if configuration.storePath != nil {
            follower = recents
            // There will be somebody who knows callers.
            submit(.lookUpAvailable(false))
        }
        plugins.start()
        earlyRequests.begin()
        store.start()
    }

    /// Serves the objects on a bus connection, now and until it closes.
    public func serve(on bus: Bus) {
        self.bus = bus
        tree.serve(on: bus)
        bus.onUnmatchedReply = { [weak self, weak bus] message in
            if let bus { self?.takeUnmatchedReply(message, on: bus) }
        }
    }

    /// Tells the bus, and who observes, at once what they were to be told next.
    public func announceNow() {
        tree.announceNow()
        observers.announceNow()
    }

    /// Ends every call and then every worker; `onStopped` follows.
    public func shutDown() {
        submit(.shutdownRequested)
        earlyRequests.admit()
    }

    /// Takes in one fact. Facts that arise while another is being worked on wait their turn: one queue, one order.
    package func submit(_ input: Input) {
        inbox.append(input)
        work()
    }

    /// Works on one fact after the other. Whoever is asked or gets replies goes first: the rest is done when the bus is told,
    /// or with the next fact, or after it if it can wait that long.
    private func work() {
        guard !isWorking else { return }
        isWorking = true
        defer { isWorking = false }
        if inbox.isEmpty { return finishSteps() }
        while !inbox.isEmpty {
            if patience < .beyondNextFact { finishSteps() }
            let next = inbox.takeFirst()
            log.debug("\(next)")
            let now = clock.now
            let effects = machine.apply(next, at: now)
            assertSound()
            note(next, effects, at: now)
            logStates(effects)
            let texts = onStep == nil ? [] : effects.map { machine.text(of: $0) }
            if log.logLevel <= .trace {
                for effect in effects { log.trace("\(self.machine.text(of: effect))") }
            }
            let step = Step(next, at: now, effects, texts: texts, of: &machine)
            carryOutUrgent(step)
            patience = min(patience, step.patience)
            unfinished.append(consume step)
            if patience == .none { finishSteps() } else { tree.announceSoon() }
        }
    }

    private func finishSteps() {
        while !unfinished.isEmpty {
            let step = unfinished.takeFirst()
            carryOutRest(step)
            observers.follow(step, of: self)
            tellFollower(step)
            onStep?(step.input, step.texts)
        }
        answered.removeAll(keepingCapacity: true)
        patience = .beyondNextFact
    }

    /// Ends the timer of an action, even if it is yet to be armed.
    func noteAnswered(_ action: ActionID) {
        disarm(.action(action))
        if !unfinished.isEmpty { answered.insert(action) }
    }

    /// Submits a request and hands its one reply to `then`.
    func submit(_ request: Request, then: @escaping @LoopActor (Reply) -> Void) {
        noteClient(of: request)
        submit(.requested(request, reply: replies.add(then)))
    }

    func newCallID() -> CallID { CallID.random(using: &generator) }

    func arm(_ timer: TimerID, at moment: Instant) {
        timers[timer] = clock.timer(at: moment) { [weak self] in
            self?.timers[timer] = nil
            self?.submit(.timerFired(timer))
        }
    }

    func disarm(_ timer: TimerID) {
        timers[timer] = nil
    }

    private func assertSound() {
        #if DEBUG
            for violation in machine.violations() { log.critical("invariant broken: \(violation)") }
        #endif
    }
}

extension Array {
    /// The first element, which is taken away. Most queues have but one, which goes without others being moved up.
    fileprivate mutating func takeFirst() -> Element { count == 1 ? removeLast() : removeFirst() }
}
