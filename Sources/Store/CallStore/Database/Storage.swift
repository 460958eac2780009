// Storage: the file as the loop sees it. Work goes to a queue of its own, and comes back with what became of it.

internal import Dispatch
internal import EventLoop
internal import GRDB
internal import Logging

/// Runs work on the file, one piece after the other, and knows how the file is.
@LoopActor
final class Storage {
    private let file: DatabaseFile
    private let queue = DispatchQueue(label: "org.opencallkit.store.disk", qos: .utility)
    private let log: Logger
    private var retryTimer: LoopTimer?
    private var retries = 0

    /// What is wrong now; "" if nothing is.
    private(set) var trouble = ""
    /// What was lost, for as long as this process lives; "" if nothing was.
    private(set) var loss = ""
    /// Called when `degraded` has changed.
    var onChange: @LoopActor () -> Void = {}
    /// Called when the file was found or made anew: what is kept of it in memory is to be read again.
    var onReplaced: @LoopActor () -> Void = {}
    /// Called when the disk may be tried again, and after what failed has gone well again.
    var onRetry: @LoopActor () -> Void = {}

    /// Between attempts, in ms.
    private static let pauses = [250, 500, 1_000, 2_000, 5_000]

    init(folder: String, log: Logger) {
        file = DatabaseFile(folder: folder)
        self.log = log
    }

    /// Why the recents are not all that they should be; "" if they are.
    var degraded: String { trouble.isEmpty ? loss : trouble }

    typealias Completion<Value> = @LoopActor (Result<Value, StorageFailure>) -> Void

    /// Writes in one transaction, which is durable before `then` is called.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value, then: @escaping Completion<Value>
    ) {
        perform({ (file) throws(StorageFailure) in try file.write(body) }, isWriting: true, then: then)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value, then: @escaping Completion<Value>
    ) {
        perform({ (file) throws(StorageFailure) in try file.read(body) }, isWriting: false, then: then)
    }

    /// Closes the file after the work that is queued; `then` follows.
    func close(then: @escaping @LoopActor () -> Void) {
        retryTimer = nil
        queue.async { [file] in
            file.close()
            Loop.shared.post(then)
        }
    }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (DatabaseFile) throws(StorageFailure) -> Value, isWriting: Bool,
        then: @escaping Completion<Value>
    ) {
        queue.async { [file] in
            var outcome = Outcome<Value>(result: Result { () throws(StorageFailure) in try work(file) })
            if case .failure(.corrupt(let text)) = outcome.result {
                // Set aside, never trusted and never deleted. Then the same work begins a new file.
                do throws(StorageFailure) {
                    outcome.loss = "\(DatabaseFile.name) was corrupt (\(text)) and set aside as \(try file.setAside())"
                    outcome.result = Result { () throws(StorageFailure) in try work(file) }
                } catch {
                    outcome.result = .failure(error)
                }
            }
            outcome.generation = file.generation
            Loop.shared.post { [outcome] in
                self.take(outcome.result.failure, outcome.loss, outcome.generation, isWriting: isWriting)
                then(outcome.result)
            }
        }
    }

    private struct Outcome<Value: Sendable>: Sendable {
        var result: Result<Value, StorageFailure>
        var loss: String?
        var generation = 0
    }

    private var generation = 0

    private func take(_ failure: StorageFailure?, _ loss: String?, _ generation: Int, isWriting: Bool) {
        let before = degraded
        if let loss {
            log.error("\(loss)")
            self.loss = loss
        }
        if let failure {
            if trouble != failure.text { log.error("\(DatabaseFile.name): \(failure.text)") }
            trouble = failure.text
            retryLater()
        } else if isWriting, !trouble.isEmpty {
            log.notice("\(DatabaseFile.name) can be written again")
            trouble = ""
            retries = 0
        }
        if generation != self.generation {
            self.generation = generation
            onReplaced()
        }
        if degraded != before { onChange() }
    }

    /// Tries again after a while, and ever more seldom, as long as something is wrong.
    private func retryLater() {
        guard retryTimer == nil else { return }
        let pause = Self.pauses[min(retries, Self.pauses.count - 1)]
        retries += 1
        retryTimer = LoopTimer(afterMilliseconds: pause) { [weak self] in
            guard let self else { return }
            retryTimer = nil
            onRetry()
        }
    }
}

extension Result {
    init(_ body: () throws(Failure) -> Success) {
        do throws(Failure) {
            self = .success(try body())
        } catch {
            self = .failure(error)
        }
    }

    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
