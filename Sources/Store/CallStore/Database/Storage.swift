// Storage: runs work on the file off the loop.

import CallModel
internal import Dispatch
internal import EventLoop
internal import Files
internal import Logging
internal import SQLite

/// Runs work on the file, one piece after the other, on a queue of its own, and knows what is wrong with the file.
@LoopActor
final class Storage {
    private let file: DatabaseFile
    private let folder: StoreFolder
    private let queue = DispatchQueue(label: "org.opencallkit.store.disk", qos: .utility)
    private let log: Logger
    private var retryTimer: LoopTimer?
    private var retries = 0
    private var erasingTimer: LoopTimer?
    private var portionsUnderWay = 0
    private var generation = 0
    private var follower: FileFollower?
    /// Whether the file is being asked whether others have changed it, and is to be asked once more.
    private var isAsking = false
    private var isAskingDue = false
    /// What the log has of the present trouble.
    private var logged: Set<String> = []

    /// What is wrong with the file now; "" for nothing.
    private(set) var trouble = ""
    /// What this process has lost; "" for nothing.
    private(set) var loss = ""
    /// Called when `degraded` has changed.
    var onChange: @LoopActor () -> Void = {}
    /// Called when a different file was opened: what is kept of it in memory must be read again.
    var onReplaced: @LoopActor () -> Void = {}
    /// Called when another session of the user has changed the file.
    var onOthers: @LoopActor () -> Void = {}
    /// Called when failed work may be tried again.
    var onRetry: @LoopActor () -> Void = {}
    /// Whether more is to be written than what is being written. The trouble is over when all of it is in the file: on
    /// a disk that is almost full, small changes succeed while larger ones fail.
    var isBacklogged: @LoopActor () -> Bool = { false }

    /// The pauses between attempts.
    private static let pauses: [Duration] = [
        .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10), .seconds(30),
    ]
    /// The pause between attempts to erase what was deleted.
    private static let erasingPause = Duration.seconds(5)

    init(folder: StoreFolder, log: Logger) {
        file = DatabaseFile(folder: folder.path)
        self.folder = folder
        self.log = log
    }

    /// Begins to watch for what other sessions of the user change.
    func start() { follow() }

    /// What is wrong with the recents; "" for nothing.
    var degraded: String { trouble.isEmpty ? loss : trouble }

    /// Writes in one transaction. Calls `then` when it is durable.
    ///
    /// - Parameter isPortion: whether more is deleted soon, and what is deleted is erased then.
    func write<Value: Sendable>(
        isPortion: Bool = false, _ body: @escaping @Sendable (Database) throws -> Value,
        then: @escaping Completion<Value>
    ) {
        if isPortion { portionsUnderWay += 1 }
        perform({ (file) throws(StorageFailure) in try file.write(isPortion: isPortion, body) }, isWriting: true) {
            [weak self] result in
            if isPortion { self?.portionsUnderWay -= 1 }
            then(result)
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value, then: @escaping Completion<Value>
    ) {
        perform({ (file) throws(StorageFailure) in try file.read(body) }, isWriting: false, then: then)
    }

    /// Writes in one transaction, erases what was deleted, and then removes the copies of damaged files, which have what they
    /// had.
    func clear<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value, then: @escaping Completion<Value>
    ) {
        perform(
            { (file) throws(StorageFailure) in
                let value = try file.write(body)
                file.erase()
                file.removeCopies()
                return value
            }, isWriting: true
        ) { [weak self] result in
            if case .success = result { self?.forgetLoss() }
            then(result)
        }
    }

    /// Ends the calls of other sessions that have ended without a word, if there were any.
    ///
    /// - Parameters:
    ///   - calls: those of this session that are under way.
    ///   - then: called when calls may have ended; not otherwise.
    func closeInterrupted(except calls: Set<CallID>, then: @escaping @LoopActor () -> Void) {
        queue.async { [file, log] in
            guard file.isLeftAlone() else { return }
            do throws(StorageFailure) {
                try file.write { try RecentTable.closeInterrupted($0, except: calls) }
                Loop.shared.post(then)
            } catch {
                log.error("calls of another session are not ended: \(error.text)")
            }
        }
    }

    /// Tells when another session of the user has changed the file.
    private func follow() {
        follower = FileFollower(FolderLock.path(in: folder.path)) { [weak self] in self?.askAgain() }
    }

    private func askAgain() {
        isAskingDue = true
        guard !isAsking else { return }
        (isAsking, isAskingDue) = (true, false)
        queue.async { [file] in
            // What is wrong is told to the next request.
            let isChanged = (try? file.isChangedByOthers()) ?? false
            Loop.shared.post {
                self.isAsking = false
                if isChanged { self.onOthers() }
                // They may have changed it after it was asked.
                if self.isAskingDue { self.askAgain() }
            }
        }
    }

    /// Writes something of no importance if the file cannot be written, to see whether it can be written again.
    nonisolated static func probe(_ database: Database) throws {
        try Setting.set("probe", .random(in: 1...9), database)
    }

    /// Closes the file after the queued work, and calls `then`.
    func close(then: @escaping @LoopActor () -> Void) {
        retryTimer = nil
        erasingTimer = nil
        follower = nil
        queue.async { [file] in
            file.close()
            Loop.shared.post(then)
        }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (DatabaseFile) throws(StorageFailure) -> Value, isWriting: Bool,
        then: @escaping Completion<Value>
    ) {
        file.interruptErasing()
        queue.async { [file, folder] in
            var loss: String?
            var result = Result { () throws(StorageFailure) in try work(file) }
            if case .failure(.corrupt(let text)) = result {
                // Set a corrupt file aside, and begin a new one with the same work.
                result = Result { () throws(StorageFailure) in
                    loss = "\(DatabaseFile.name) was corrupt (\(text)) and set aside as \(try file.setAside())"
                    return try work(file)
                }
            }
            if case .failure = result { folder.failed() }
            Loop.shared.post { [result, loss, generation = file.generation, hasTraces = file.hasTraces] in
                if hasTraces { self.eraseLater() }
                if case .failure(let failure) = result {
                    self.finish(failure, loss, generation, isWriting: isWriting)
                } else {
                    self.finish(nil, loss, generation, isWriting: isWriting)
                }
                then(result.mapError { CallError(.storeUnavailable, $0.text) })
            }
        }
    }

    private func finish(_ failure: StorageFailure?, _ loss: String?, _ generation: Int, isWriting: Bool) {
        let before = degraded
        if let loss {
            log.error("\(loss)")
            self.loss = loss
        }
        if let failure {
            if logged.insert(failure.text).inserted { log.error("\(DatabaseFile.name): \(failure.text)") }
            trouble = failure.text
            retryLater()
        } else if isWriting, !trouble.isEmpty, !isBacklogged() {
            log.notice("\(DatabaseFile.name) can be written again")
            trouble = ""
            logged = []
            retries = 0
        }
        if generation != self.generation {
            self.generation = generation
            onReplaced()
        }
        if degraded != before { onChange() }
    }

    /// Tries again after a pause, which grows as long as something is wrong.
    private func retryLater() {
        guard retryTimer == nil else { return }
        let pause = Self.pauses[min(retries, Self.pauses.count - 1)]
        retries += 1
        retryTimer = LoopTimer(after: pause) { [weak self] in
            guard let self else { return }
            retryTimer = nil
            onRetry()
        }
    }

    private func eraseLater() {
        guard erasingTimer == nil else { return }
        erasingTimer = LoopTimer(after: Self.erasingPause) { [weak self] in
            guard let self else { return }
            erasingTimer = nil
            // To write the file anew in between would hold all others up, and is done after the last portion.
            guard portionsUnderWay == 0 else { return eraseLater() }
            queue.async { [file] in
                file.erase()
                if file.hasTraces { Loop.shared.post { self.eraseLater() } }
            }
        }
    }

    /// The copies that the loss named are gone.
    private func forgetLoss() {
        guard !loss.isEmpty else { return }
        let before = degraded
        loss = ""
        if degraded != before { onChange() }
    }
}
