// The shell around the core.

import CallCore
import CallModel
public import DBus
public import EventLoop
public import Logging

/// Owns the machine and everything that its effects touch. Lives on the loop thread.
@LoopActor
public final class CallSystemHost {
    let configuration: HostConfiguration
    let log: Logger
    let stepLog: StepLog
    let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.invalidArguments.busName)
    var machine: CallMachine
    lazy var root = CallSystemObject(host: self)
    let audioSession = AudioSessionObject()
    let providers = ProviderRegistry()
    let replies = ReplyBook()
    let clients = ClientBook()
    let inspector = ClientInspector()
    let access = AccessBook()
    let observers = CallObservers()
    let screeners = ScreenerBook()
    let audioAgents = AudioAgentBook()
    /// Those that clients and providers sent.
    let unknownKeys = UnknownKeys()
    lazy var notices = NoticeBook(host: self)
    let updateStorms = UpdateStorms()
    var registrations = RateLimits()
    /// Those who answered questions which were put to others.
    var forgers: Set<Owner> = []
    /// How many custom actions each owner has under way.
    var customActions: [Owner: Int] = [:]
    /// How many calls were refused on arrival, or because of a limit.
    var refused: UInt64 = 0
    lazy var desktopAgent = DesktopAgentStarter(host: self)
    var actions = ActionBook()
    let identifiers: WireIdentifiers
    lazy var plugins = PluginSupervisor(host: self)
    lazy var accounts = AccountSupervisor(host: self)
    lazy var store = StoreSupervisor(host: self)
    lazy var earlyRequests = EarlyRequests(host: self)
    lazy var earlyQuestions = EarlyQuestions(host: self)
    lazy var storeLookUp = StoreLookUp(store)
    lazy var recents = RecentsRecorder(host: self)
    /// The bus, while it is there.
    weak var bus: Bus?
    /// Called once when everything has ended after `shutDown`.
    public var onStopped: (@LoopActor () -> Void)?

    /// Called with each fact and what followed from it, once that has been carried out.
    package var onStep: (@LoopActor (Step) -> Void)?

    /// Looks callers up; without it nothing is known of them.
    package weak var callerLookUp: (any CallerLookUp)? {
        didSet {
            if (callerLookUp != nil) != machine.looksUp { submit(.lookUpAvailable(callerLookUp != nil)) }
        }
    }
    /// Keeps what outlives a call.
    package weak var follower: (any CallFollower)?

    var doNotDisturb = DoNotDisturbSettings()
    /// Whether it is on by hand or by the clock.
    var isDoNotDisturbOn = false
    let quietSources = QuietSources()
    /// What is wrong with files of settings, as sentences by the names of the files.
    var settingsProblems: [String: String] = [:]
    lazy var accessFile = SettingsFile<AccessSettings>("access", of: "the tiers of apps", for: self)
    lazy var doNotDisturbFile = SettingsFile<DoNotDisturbSettings>(
        "do-not-disturb", of: "the settings of Do Not Disturb", for: self)
    lazy var defaultProvidersFile = SettingsFile<DefaultProviderSettings>(
        "default-providers", of: "the default providers", for: self)
    lazy var emergencyProvidersFile = SettingsFile<EmergencyProviderSettings>(
        "emergency-providers", of: "the emergency providers", for: self)
    lazy var knownProvidersFile = SettingsFile<KnownProviderSettings>(
        "known-providers", of: "the providers in their order", for: self)
    /// The filtered calls whose rows are being written.
    var unannounced: [CallID: (call: FilteredCall, timer: any HostTimer)] = [:]
    var doNotDisturbTimer: (any HostTimer)?
    var recorder: Recorder?
    let clock: any HostClock
    /// Who is at the far end of a channel that is neither the bus nor a worker's link.
    var guests: [ObjectIdentifier: Guest] = [:]
    private var timers: [TimerID: any HostTimer] = [:]
    /// The facts that wait to be taken in.
    var facts: [Input] = []
    /// The steps whose effects have been carried out but for what is to be told.
    var untold: [Step] = []
    var isWorking = false
    private var generator = SystemRandomNumberGenerator()

    public convenience init(configuration: HostConfiguration, log: Logger) {
        self.init(configuration: configuration, log: log, clock: SystemClock())
    }

    package init(configuration: HostConfiguration, log: Logger, clock: any HostClock) {
        self.configuration = configuration
        self.log = log
        stepLog = StepLog(log, keepsIdentities: configuration.logsIdentities)
        self.clock = clock
        machine = CallMachine(
            deadlines: configuration.deadlines, limits: configuration.limits, policy: configuration.policy)
        identifiers = WireIdentifiers(seed: CallID.random(using: &generator))
        exportRoot()
    }

    /// Starts the plugins and the store. The bus may come before or after.
    public func start() {
        loadAccess()
        loadDoNotDisturb()
        loadKnownProviders()
        loadDefaultProviders()
        loadEmergencyProviders()
        if configuration.storePath != nil {
            follower = recents
            submit(.lookUpExpected)
        }
        accounts.start()
        plugins.start()
        earlyRequests.begin()
        store.start()
    }

    /// Serves the objects on a bus connection, now and until it closes.
    public func serve(on bus: Bus) {
        self.bus = bus
        desktopAgent.follow(bus)
        watchArrivals(on: bus)
        tree.serve(on: bus)
        tree.postpone = { [weak self] message, channel in self?.earlyQuestions.keep(message, on: channel) ?? false }
        bus.onUnmatchedReply = { [weak self, weak bus] message in
            if let bus { self?.takeReply(message, on: bus) }
        }
    }

    /// Ends every call and then every worker; `onStopped` follows.
    public func shutDown() {
        submit(.shutdownRequested)
        earlyRequests.admit()
    }

    /// Whether a call has not ended yet.
    package var hasLiveCalls: Bool { !machine.calls.live.isEmpty }

    func newCallID() -> CallID { CallID.random(using: &generator) }

    func arm(_ timer: TimerID, at moment: Instant) {
        timers[timer] = clock.timer(at: moment) { [weak self] in
            guard let self else { return }
            // What has arrived was in time, even if nobody has read it yet.
            takeArrived()
            guard timers.removeValue(forKey: timer) != nil else { return }
            submit(.timerFired(timer))
        }
    }

    private func takeArrived() {
        bus?.takeArrived()
        for provider in providers.all.values { provider.peer.takeArrived() }
    }

    func disarm(_ timer: TimerID) {
        timers[timer] = nil
    }
}
