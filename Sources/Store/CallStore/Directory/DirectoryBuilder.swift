// DirectoryBuilder: makes a directory's file from the entries of a load, off the loop.

internal import CallDirectory
import CallModel
import EventLoop
internal import Synchronization

/// Checks and writes the entries of one load, in order. After a failure every call fails with the same error. Abandoning the
/// builder before `complete` leaves the earlier file.
final class DirectoryBuilder: Sendable {
    private struct State {
        var writer: CompiledDirectoryWriter?
        var removals = DirectoryRemovals()
        var failure: CallError?
    }

    private let path: String
    /// The directory to change; nil if the load has all entries.
    private let old: CompiledDirectory?
    private let isIncremental: Bool
    private let state = Mutex(State())
    private let thread: BackgroundThread

    /// - Parameters:
    ///   - path: of the compiled directory.
    ///   - old: the directory in force.
    ///   - isIncremental: whether the load has changes to `old`.
    ///   - thread: the thread that does all of it.
    init(_ path: String, old: CompiledDirectory?, isIncremental: Bool, on thread: BackgroundThread) {
        self.thread = thread
        self.path = path
        self.old = isIncremental ? old : nil
        self.isIncremental = isIncremental
    }

    func block(_ numbers: [Int64], then: @escaping Completion<DirectoryCounts>) {
        perform(then) { [self] state in
            let writer = try writer(in: &state)
            try writer.block(numbers)
            return writer.counts
        }
    }

    func identify(_ entries: [IdentificationEntry], then: @escaping Completion<DirectoryCounts>) {
        perform(then) { [self] state in
            let writer = try writer(in: &state)
            for entry in entries { try writer.identify(entry.number, entry.label) }
            return writer.counts
        }
    }

    func block(ranges: [ClosedRange<Int64>], then: @escaping Completion<DirectoryCounts>) {
        perform(then) { [self] state in
            let writer = try writer(in: &state)
            try writer.blockRanges(ranges)
            return writer.counts
        }
    }

    func remove(
        then: @escaping Completion<Void>,
        _ body: @escaping @Sendable (inout DirectoryRemovals) throws(CallError) -> Void
    ) {
        perform(then) { [isIncremental] state in
            guard isIncremental else {
                throw CallError(
                    .unexpectedIncrementalRemoval, "entries cannot be removed: all entries were announced, not changes")
            }
            try body(&state.removals)
        }
    }

    /// Moves the file into place and opens it.
    func complete(then: @escaping Completion<CompiledDirectory>) {
        perform(then) { [self] state in
            let writer = try writer(in: &state)
            try writer.finish()
            state.writer = nil
            if isIncremental { try merge(state.removals) }
            return try CompiledDirectory(path)
        }
    }

    /// Removes what was written so far, after the work under way; this takes milliseconds.
    func abandon() {
        thread.post { [self] in state.withLock { $0.writer = nil } }
    }

    private func merge(_ removals: DirectoryRemovals) throws {
        defer { CompiledDirectory.discard(changesPath) }
        let merged = try CompiledDirectoryWriter(path)
        try CompiledDirectory.merge(old, removing: removals, adding: CompiledDirectory(changesPath), into: merged)
        try merged.finish()
    }

    private var changesPath: String { path + ".changes" }

    private func writer(in state: inout State) throws -> CompiledDirectoryWriter {
        if let writer = state.writer { return writer }
        let writer = try CompiledDirectoryWriter(isIncremental ? changesPath : path)
        state.writer = writer
        return writer
    }

    private func perform<Value: Sendable>(
        _ then: @escaping Completion<Value>, _ body: @escaping @Sendable (inout State) throws -> Value
    ) {
        thread.post { [self] in
            let result: Result<Value, CallError> = state.withLock { state in
                if let failure = state.failure { return .failure(failure) }
                do {
                    return .success(try body(&state))
                } catch {
                    let failure =
                        error as? CallError
                        ?? CallError(.loadingInterrupted, "the entries cannot be written: \(error)")
                    state.failure = failure
                    state.writer = nil
                    return .failure(failure)
                }
            }
            Loop.shared.post { then(result) }
        }
    }
}
