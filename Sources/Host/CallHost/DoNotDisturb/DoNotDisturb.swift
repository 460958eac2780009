// DoNotDisturb: what the user wants, the clock, and what clients pass on from elsewhere.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

/// Tells the core when calls are filtered, and which rules they pass.
@LoopActor
final class DoNotDisturb {
    /// What the user wants.
    private(set) var settings = DoNotDisturbSettings()
    /// Whether it is on by hand or by the clock, as of the last occasion.
    private var isOn = false
    private let sources = QuietSources()
    private var timer: (any HostTimer)?
    private let file: SettingsFile<DoNotDisturbSettings>
    private let context: HostContext
    private unowned let clients: any ClientGate

    /// A day, in µs.
    private static let longestSleep: UInt64 = 86_400_000_000

    init(_ context: HostContext, _ clients: any ClientGate) {
        self.context = context
        self.clients = clients
        file = SettingsFile("do-not-disturb", of: "the settings of Do Not Disturb", for: context)
    }

    /// Takes over what was set when the daemon ran the last time.
    func load() {
        settings = file.read()
        if settings.rules != context.core.doNotDisturbRules { context.submit(.doNotDisturbRulesSet(settings.rules)) }
        review()
        file.follow { [weak self] in self?.adopt($0) }
    }

    // MARK: the user

    /// Changes what the user wants, as the bus says it.
    ///
    /// - Throws: `InvalidArguments`; `StoreUnavailable` if it cannot be written. Nothing has changed then.
    func update(wire: VariantDictionary, from caller: CallContext) throws(CallError) {
        var new = settings
        try new.update(wire: wire, at: context.clock.now.date)
        clients.noteUnknownKeys(in: wire, besides: DoNotDisturbSettings.keys, from: caller)
        try set(new)
    }

    /// Turns it on or off by hand.
    ///
    /// - Throws: `StoreUnavailable` if it cannot be written; nothing has changed then.
    func turn(on isOn: Bool) throws(CallError) {
        review()
        guard isOn != self.isOn else { return }
        var new = settings
        new.turn(on: isOn, at: context.clock.now.date)
        try set(new)
    }

    /// Writes down what the user wants, puts it in force and tells the bus.
    private func set(_ new: DoNotDisturbSettings) throws(CallError) {
        try file.keep(new, adopt)
    }

    /// Puts in force what the user wants, and tells the bus.
    private func adopt(_ new: DoNotDisturbSettings) {
        let isNew = new != settings
        settings = new
        if new.rules != context.core.doNotDisturbRules { context.submit(.doNotDisturbRulesSet(new.rules)) }
        review()
        if isNew { announce("DoNotDisturbRules") }
    }

    // MARK: the clock

    /// Turns it on or off if the clock says so. Clocks may be set, and machines sleep: it is asked at every occasion.
    private func review() {
        let now = context.clock.now
        let wasOn = isOn
        shortenPause(at: now)
        isOn = settings.isOn(at: now.date)
        submitQuiet()
        if isOn != wasOn { announce("DoNotDisturb") }
        timer?.cancel()
        timer = settings.nextChange(after: now.date).map { change in
            let uptime = now.uptime + min(change.span(since: now.date), Self.longestSleep)
            return context.clock.timer(at: Instant(uptime: uptime, date: change)) { [weak self] in self?.review() }
        }
    }

    /// The clock was wrong when a pause began. It is shortened even if that cannot be written down.
    private func shortenPause(at now: Instant) {
        var new = settings
        new.shortenPause(at: now.date)
        guard new != settings else { return }
        settings = new
        try? file.keep(new, isAdopting: false) { _ in }
    }

    /// Whether it is on now, by hand or by the clock.
    var isOnNow: Bool {
        reviewSchedule()
        return isOn
    }

    /// Before an incoming call, and after a step of the clock: only a schedule can have been missed.
    func reviewSchedule() {
        if !settings.schedule.isEmpty { review() }
    }

    // MARK: other sources

    /// The sources of quiet that clients have turned on, in alphabetical order.
    var sourceNames: [String] { sources.names }

    func setQuiet(_ source: String, _ isOn: Bool, from caller: CallContext) throws(CallError) {
        guard CustomAction.isValid(id: source) else {
            throw CallError(
                .invalidArguments, "source is \"\(source.excerpt)\", expected 1 to 64 letters, digits, ., _ and -")
        }
        guard let client = clients.client(of: caller) else {
            throw CallError(.accessDenied, "only a client of the bus can be a source of quiet")
        }
        guard isOn != sources.contains(source, of: client) else { return }
        if !isOn { return removeQuiet(source, of: client) }
        guard sources.count < QuietSources.maximum else {
            throw CallError(.limitsExceeded, "\(sources.count) sources of quiet are on already")
        }
        let watch = context.bus?.watchName(
            client, appeared: { _ in }, vanished: { [weak self] in self?.removeQuiet(source, of: client) })
        changeSources { sources.add(source, of: client, watch) }
    }

    private func removeQuiet(_ source: String, of client: String) {
        changeSources { sources.remove(source, of: client) }
    }

    /// The bus went away, and with it every client.
    func loseSources() { changeSources { sources.removeAll() } }

    private func changeSources(_ change: () -> Void) {
        let before = sources.names
        change()
        guard sources.names != before else { return }
        submitQuiet()
        announce("QuietSources")
    }

    // MARK: the core and the bus

    /// Tells the core whether calls are filtered: for the user, or for another source.
    private func submitQuiet() {
        let isQuiet = isOn || !sources.names.isEmpty
        if isQuiet != context.core.doNotDisturb { context.submit(.doNotDisturbSet(isQuiet)) }
    }

    private func announce(_ property: String) {
        context.tree.propertiesChanged(at: .system, Contract.callSystem, [property])
    }
}

/// The sources that clients have turned on, each as long as one of them is connected.
@LoopActor
final class QuietSources {
    private struct Entry {
        let client: String
        let source: String
        let watch: NameWatch?
    }

    static let maximum = 16
    private var entries: [Entry] = []

    /// In alphabetical order.
    var names: [String] { Set(entries.map(\.source)).sorted() }
    var count: Int { entries.count }

    func contains(_ source: String, of client: String) -> Bool {
        entries.contains { $0.client == client && $0.source == source }
    }

    func add(_ source: String, of client: String, _ watch: NameWatch?) {
        entries.append(Entry(client: client, source: source, watch: watch))
    }

    func remove(_ source: String, of client: String) {
        entries.removeAll { $0.client == client && $0.source == source }
    }

    func removeAll() { entries = [] }
}
