// What the daemon was told at its start, and where its time comes from.

package import CallCore
public import CallModel
package import EventLoop
public import Files
import Logging
public import WorkerLaunch

public struct HostConfiguration: Sendable {
    public var deadlines = Deadlines()
    public var policy = Policy.desktop
    package var limits = Limits()
    /// Where everything that happens is written down; nil = nowhere.
    public var recordPath: String?
    /// Whether the recording tells who calls whom, and what is dialed.
    public var recordsIdentities = false
    /// Whether the log tells who calls whom, and what is dialed, where it would have pseudonyms or nothing.
    public var logsIdentities = false
    /// Folders that are searched for plugins before the standard ones.
    public var pluginFolders: [String] = []
    /// Absolute file name of callkit-worker.
    public var workerPath: String
    /// The ids of plugins that run without a sandbox.
    public var unconfinedPlugins: Set<String> = []
    /// For tests: what sandboxes do without.
    public var simulatedKernel = SimulatedKernel()
    /// Where workers get control groups of their own; nil where there are none.
    public var controlGroups: ControlGroupTree?
    /// How often each worker is asked whether it is alive.
    public var workerPingPeriod = Duration.seconds(30)
    /// How many updates the providers of one owner may report in a second; ten times as many at once. More are more than
    /// any network has to tell.
    public var updatesPerSecond = 100
    /// Absolute file name of callkit-store; nil = nothing outlives a call.
    public var storePath: String?
    /// Absolute file name of callkit-secrets; nil = accounts have no secrets.
    public var secretsPath: String?
    /// The region of national numbers, such as SE; nil = the locale's.
    public var region: String?
    /// The region in force: two capital letters; "" if it is unknown.
    var numberRegion: String { region.map { NumberRegion.named($0) } ?? NumberRegion.of(environment) }
    /// Folders of vCards; none = where KDE Connect keeps the phone's contacts.
    public var contactFolders: [String] = []
    /// The folder of the daemon's own executable, from which the library folder follows.
    public var executableFolder: String
    public var environment: [String: String]

    public init(workerPath: String, executableFolder: String, environment: [String: String]) {
        self.workerPath = workerPath
        self.executableFolder = executableFolder
        self.environment = environment
    }

    /// For tests: lets anybody begin so many calls in a second.
    public mutating func allow(newCallsPerSecond most: Int) {
        limits.newCallsPerClient = most
        limits.newCallsPerPlugin = most
    }

    /// The folder of what the user has set; nil if there is nowhere to keep it.
    var settingsFolder: String? { BaseFolder.config.path(in: environment).map { $0 + "/opencallkit" } }

    /// The folder for files that others are to read while we run, such as icons; nil if there is none.
    var runtimeFolder: String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 + "/opencallkit" : nil } ?? ownRuntimeFolder
    }

    /// Stands in for the runtime folder where the session has none. Only the user has access, and the daemon removes
    /// it.
    var ownRuntimeFolder: String? {
        guard environment["XDG_RUNTIME_DIR"]?.hasPrefix("/") != true else { return nil }
        return BaseFolder.cache.path(in: environment).map { $0 + "/opencallkit/run" }
    }
}

/// Tells the time, and calls back when a moment has come.
@LoopActor
package protocol HostClock: AnyObject {
    var now: Instant { get }

    /// Calls `handler` once, not before `moment`; those of equal moments in the order in which they were asked for.
    func timer(at moment: Instant, _ handler: @escaping @LoopActor () -> Void) -> any HostTimer

    /// Called when the date has made a step: somebody has set the clock, or the machine was asleep.
    var onStep: @LoopActor () -> Void { get set }
}

/// Dropping it cancels it.
@LoopActor
package protocol HostTimer: AnyObject {
    func cancel()
}

extension LoopTimer: HostTimer {}

/// The clocks of the machine and the timers of the loop.
@LoopActor
final class SystemClock: HostClock {
    var onStep: @LoopActor () -> Void = {}
    private var watch: WallClockWatch?

    init(log: Logger) {
        do throws(SystemError) {
            watch = try WallClockWatch { [weak self] in self?.onStep() }
        } catch {
            log.error("schedules do not notice when the clock is set: \(error)")
        }
    }

    var now: Instant {
        Instant(
            uptime: Uptime(microseconds: MonotonicTime.now.nanoseconds / 1_000),
            date: WallTime(microseconds: WallClock.microseconds))
    }

    func timer(at moment: Instant, _ handler: @escaping @LoopActor () -> Void) -> any HostTimer {
        LoopTimer(at: MonotonicTime(nanoseconds: moment.uptime.microseconds * 1_000), handler: handler)
    }
}
