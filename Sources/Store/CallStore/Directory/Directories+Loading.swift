// Loads extensions, and enables and disables them.

internal import CallDirectory
import CallModel
import DBus
import EventLoop
import Logging
internal import WorkerLaunch

extension Directories {
    /// In milliseconds.
    private static let progressInterval = 200

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
            at: WallTime.now.microseconds, duration: UInt64(max(0, now.milliseconds(since: start))),
            isIncremental: one.load?.isIncremental ?? false)
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
        if let last = lastProgress[load.plan.plugin.id], now.milliseconds(since: last) < Self.progressInterval {
            return
        }
        lastProgress[load.plan.plugin.id] = now
        onReport(one)
    }

    private func write(then: @escaping Completion<Void>) {
        files.write(extensions.mapValues(\.record), then: then)
    }
}
