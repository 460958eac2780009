// Directories: the callers that the user and the call directories block, allow and name.

internal import CallDirectory
import CallModel
import DBus
import EventLoop
internal import Files
import Logging
internal import Numbers
internal import WorkerLaunch

/// Answers from memory and mapped files. The host tells which extensions exist; their settings and entries are on the
/// disk.
@LoopActor
final class Directories: CallerSource {
    /// The user as a source of rules.
    static let user = "user"

    let files: DirectoryFiles
    let log: Logger
    let logsIdentities: Bool
    let plan: NumberPlan
    var rules = UserRules()
    /// Grows with each change of the rules.
    private(set) var ruleChange = 0
    /// How often the file of the rules had been read when they were taken over.
    private var ruleReading = 0
    private var ruleTrouble: FileTrouble?
    private var follower: FileFollower?
    /// How many changes of the rules are being written, and whether the file must be read again after them.
    private var pendingChanges = 0
    private var isReadingDue = false
    private var recordTrouble: FileTrouble?
    /// By id. An extension whose plugin is gone keeps its setting and its entries until the plugin returns.
    private(set) var extensions: [String: DirectoryExtension] = [:]
    var worker = ""
    private var loadDeadline = Duration.zero
    /// What the sandboxes of workers do without.
    var kernel = SimulatedKernel()
    /// The thread that writes directories; nil before the first load.
    var background: BackgroundThread?
    var environment: [String: String]
    private var lastProgress: [String: MonotonicTime] = [:]
    /// Called with the source whose rules or entries have changed.
    var onChange: @LoopActor (String) -> Void = { _ in }
    /// Called with an extension whose report has changed.
    var onReport: @LoopActor (DirectoryExtension) -> Void = { _ in }

    init(
        folder: StoreFolder, plan: NumberPlan, environment: [String: String], log: Logger, logsIdentities: Bool = false
    ) {
        self.plan = plan
        self.environment = environment
        self.log = log
        self.logsIdentities = logsIdentities
        files = DirectoryFiles(folder: folder, log: log, logsIdentities: logsIdentities)
    }

    /// Reads the files, before the first request: after that the loop never waits for the disk.
    func start() {
        (rules, ruleTrouble) = files.rules(normalize: normalize)
        ruleReading = files.reading
        follower = FileFollower(files.rulesPath) { [weak self] in self?.readChangedRules() }
        let (records, trouble) = files.records()
        recordTrouble = trouble
        for (id, record) in records {
            let one = DirectoryExtension(id, record)
            (one.compiled, one.damage) = files.compiled(of: id)
            extensions[id] = one
        }
    }

    /// Takes over what another session of the user has written.
    private func readChangedRules() {
        let change = ruleChange
        let isDue = isReadingDue
        isReadingDue = false
        files.changedRules(isDue: isDue, normalize: { [plan] in Self.normalize($0, plan) }) { [weak self] read in
            guard let self, let (rules, trouble, reading) = read else { return }
            guard pendingChanges == 0, change == ruleChange else {
                isReadingDue = true
                return pendingChanges == 0 ? readChangedRules() : ()
            }
            ruleReading = reading
            guard rules != self.rules || trouble != ruleTrouble else { return }
            (self.rules, ruleTrouble) = (rules, trouble)
            ruleChange += 1
            onChange(Self.user)
        }
    }

    /// What was wrong with the files when they were read, and whose entries are lost since; "" for nothing.
    var trouble: String {
        let lost = extensions.values.filter { $0.isInUse && $0.compiled == nil }.sorted { $0.id < $1.id }
        return ([ruleTrouble, recordTrouble].map { $0?.text } + lost.map(\.damage)).compactMap(\.self)
            .joined(separator: "; ")
    }

    /// - Throws: `StoreUnavailable` if the user's rules cannot be read: who is blocked and allowed is unknown then.
    func requireRules() throws(CallError) {
        guard case .unreadable(let text)? = ruleTrouble else { return }
        throw CallError(.storeUnavailable, "\(text)")
    }

    /// The extensions with a plugin, in the order of their ids.
    var present: [DirectoryExtension] {
        extensions.values.filter { $0.plugin != nil }.sorted { $0.id < $1.id }
    }

    /// - Throws: `NoExtensionFound`.
    func existing(_ id: String) throws(CallError) -> DirectoryExtension {
        guard let one = extensions[id], one.plugin != nil else {
            throw CallError(.noExtensionFound, "no plugin \(id.excerpt) with a call directory")
        }
        return one
    }

    /// Sets the plugins that have extensions.
    func set(worker: String, deadline: Duration, _ plugins: [String: DirectoryPlugin]) {
        self.worker = worker
        loadDeadline = deadline
        for (id, plugin) in plugins {
            let one = extensions[id] ?? DirectoryExtension(id, ExtensionRecord())
            extensions[id] = one
            let isNew = one.plugin?.isEnabled != plugin.isEnabled
            one.plugin = plugin
            if !plugin.isEnabled { one.load?.stop("was disabled") }
            // Enabled, but its entries are lost or were never loaded.
            if isNew, one.isInUse, one.compiled == nil { load(one) { _ in } }
            if isNew { onChange(id) }
        }
        for one in present where plugins[one.id] == nil {
            one.load?.stop("was removed")
            one.plugin = nil
            onChange(one.id)
        }
    }

    // MARK: questions

    func note(_ handle: Handle?, in facts: inout LookUpFacts) {
        // An empty normalized handle is not a withheld one.
        guard handle == nil || !facts.normalized.isEmpty else { return }
        if rules.allowed.match(facts.normalized) { facts.isAllowed = true }
        if facts.blockedBy == nil, rules.blocked.match(facts.normalized) { facts.blockedBy = Self.user }
        guard let handle, handle.type != .emailAddress, let number = HandleRule.number(of: facts.normalized) else {
            return
        }
        for one in present {
            guard let entries = one.inForce else { continue }
            // A number without a country code is in no range of those that have one.
            let isInRange = facts.normalized.hasPrefix("+") && entries.blocksRange(with: number)
            if facts.blockedBy == nil, isInRange || entries.blocks(number) { facts.blockedBy = one.id }
            if let label = entries.label(of: number) { facts.merge(name: label, from: .directory) }
        }
    }

    func label(of handle: Handle) -> (label: String, source: String)? {
        guard handle.type != .emailAddress, let number = HandleRule.number(of: plan.normalized(handle)) else {
            return nil
        }
        for one in present {
            if let label = one.inForce?.label(of: number), !label.isEmpty { return (label, one.id) }
        }
        return nil
    }

    /// Returns the user's rules that match a caller, as text.
    func rules(about normalized: String) -> (blocking: String?, allowing: String?) {
        (rules.blocked.rule(for: normalized)?.description, rules.allowed.rule(for: normalized)?.description)
    }

    /// Returns the normalized handle of a rule; "" for an invalid one.
    private func normalize(_ text: String) -> String { Self.normalize(text, plan) }

    nonisolated private static func normalize(_ text: String, _ plan: NumberPlan) -> String {
        (try? DialString(parsing: text)).map { plan.normalized($0.handle) } ?? ""
    }

    /// Returns what a rule is kept as, and the region of a national number.
    func describe(rule text: String) throws(CallError) -> VariantDictionary {
        var read: VariantDictionary = ["rule": .string(try HandleRule(text, normalize: normalize).description)]
        if let handle = try? DialString(parsing: text).handle { read.set("region", plan.region(of: handle)) }
        return read
    }

    // MARK: the user's rules

    /// Adds or removes a rule, which applies at once. Calls `then` with whether that changed anything, when the rule is
    /// on the disk; a rule that cannot be written is withdrawn.
    func change(
        _ list: List, _ text: String, adding: Bool, then: @escaping Completion<Bool>
    ) throws(CallError) {
        try requireRules()
        let rule = try HandleRule(text, normalize: normalize)
        let change = RuleChange(rule: rule, list: list, isAdding: adding)
        guard try apply(change) else { return then(.success(false)) }
        pendingChanges += 1
        files.write(
            change, in: rules, since: ruleReading, normalize: { [plan] in Self.normalize($0, plan) }
        ) { [weak self] result in
            if case .failure = result {
                _ = try? self?.apply(RuleChange(rule: rule, list: list, isAdding: !adding))
            }
            self?.wroteChange(besideOthers: (try? result.get()) ?? false)
            then(result.map { _ in true })
        }
    }

    private func wroteChange(besideOthers: Bool) {
        pendingChanges -= 1
        if besideOthers { isReadingDue = true }
        if pendingChanges == 0, isReadingDue { readChangedRules() }
    }

    typealias List = any WritableKeyPath<UserRules, HandleRules> & Sendable

    /// - Returns: whether anything has changed.
    private func apply(_ change: RuleChange) throws(CallError) -> Bool {
        let isChange = try change.apply(to: &rules)
        if isChange {
            ruleChange += 1
            onChange(Self.user)
        }
        return isChange
    }
}

extension Directories {
    private static let progressInterval = Duration.milliseconds(200)

    /// Loads an extension. Calls `then` when its entries are in force or the load has failed.
    func reload(_ id: String, then: @escaping Completion<Void>) throws(CallError) {
        let one = try existing(id)
        guard one.record.isEnabled else {
            throw CallError(.extensionDisabled, "the directory of plugin \(id) is disabled")
        }
        guard one.isInUse else { throw CallError(.extensionDisabled, "plugin \(id) is disabled") }
        guard one.load == nil else { throw CallError(.currentlyLoading, "plugin \(id) is being loaded") }
        load(one, then: then)
    }

    /// Enables or disables an extension. Calls `then` when the setting is on the disk.
    func setEnabled(_ id: String, _ isEnabled: Bool, then: @escaping Completion<Void>) throws(CallError) {
        let one = try existing(id)
        guard one.record.isEnabled != isEnabled else { return then(.success(())) }
        one.record.isEnabled = isEnabled
        if !isEnabled { one.load?.stop("was switched off") }
        onChange(id)
        write { [weak self, weak one] result in
            if case .failure = result, let one {
                one.record.isEnabled = !isEnabled
                self?.onChange(id)
            }
            // Who asks after the answer finds that it is being loaded.
            if case .success = result, isEnabled, let self, let one, one.isInUse, one.load == nil {
                load(one) { _ in }
            }
            then(result)
        }
    }

    func load(_ one: DirectoryExtension, then: @escaping Completion<Void>) {
        guard one.load == nil, let plugin = one.plugin else { return }
        files.makeFolder()
        one.waiting.append(then)
        let start = MonotonicTime.now
        // One thread for all, so that the remains of a load are gone before the next one writes.
        if background == nil { background = try? BackgroundThread("directories") }
        let plan = DirectoryLoad.Plan(
            launch: DirectoryLaunch(
                plugin: plugin, worker: worker, environment: environment, kernel: kernel),
            deadline: loadDeadline, path: files.compiledPath(of: one.id), background: background, old: one.compiled)
        let load = DirectoryLoad(plan) { [weak self, weak one] outcome in
            if let self, let one { loaded(one, outcome, since: start) }
        }
        one.load = load
        load.onProgress = { [weak self, weak one, weak load] in
            if let self, let one, let load { progressed(load, of: one) }
        }
        log.info("directory \(one.id): loading")
        load.start()
        onReport(one)
    }

    private func loaded(_ one: DirectoryExtension, _ outcome: DirectoryLoad.Outcome, since start: MonotonicTime) {
        let now = MonotonicTime.now
        var last = ExtensionRecord.Load(
            at: .now, duration: UInt64(max(0, now.duration(since: start).milliseconds)),
            isIncremental: one.load?.isIncremental ?? false)
        if let load = one.load, load.leftOut > 0 {
            (last.leftOut, last.complaints) = (load.leftOut, load.complaints)
            log.warning("directory \(one.id): \(load.leftOut) entries were left out, see Complaints")
        }
        switch outcome {
        case .success(let compiled):
            let retired = Retired(one.compiled)
            one.compiled = compiled
            retired.end(on: background)
            log.info("directory \(one.id): \(compiled.counts) in \(last.duration) ms")
        case .failure(let error):
            last.error = error.code.rawValue
            last.message = error.message
            // The message names entries, and may have any words of the plugin's; the report has it.
            log.warning("directory \(one.id): \(logsIdentities ? "\(error)" : error.code.rawValue)")
        }
        one.load?.sandbox?.log("the worker of directory \(one.id)", to: log)
        one.record.load = last
        one.load = nil
        lastProgress[one.id] = nil
        let waiting = one.waiting
        one.waiting = []
        // If this fails, only the report is lost.
        write { _ in }
        onChange(one.id)
        for told in waiting { told(outcome.map { _ in }) }
    }

    private func progressed(_ load: DirectoryLoad, of one: DirectoryExtension) {
        let now = MonotonicTime.now
        if let last = lastProgress[load.plan.plugin.id], now.duration(since: last) < Self.progressInterval {
            return
        }
        lastProgress[load.plan.plugin.id] = now
        onReport(one)
    }

    private func write(then: @escaping Completion<Void>) {
        files.write(extensions.mapValues(\.record), then: then)
    }
}
