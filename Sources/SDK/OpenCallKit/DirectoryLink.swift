// DirectoryLink: sends the entries of a request to callkit-store.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop
internal import Synchronization

/// Sends batches over a link, one at a time: the directory's thread waits until each is written, so a list of any length
/// takes the same memory, and calls meanwhile have a processor. All methods but `call` are for that thread.
final class DirectoryLink: DirectorySink, Sendable {
    private typealias Refusal = CXErrorCodeCallDirectoryManagerError

    private struct State {
        var refusal: Refusal?
        var hasBegun = false
        var kept: (any Sendable)?
    }

    /// The time limit for an answer; callkit-store has a limit of its own for the whole request.
    private static let replyTimeout = Duration.seconds(600)

    private let link: PrivateLink
    private let answered = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    init(_ link: PrivateLink) { self.link = link }

    /// Keeps an object until the process ends.
    func keep(_ something: some Sendable) { state.withLock { $0.kept = something } }

    func send(_ batch: DirectoryBatch, incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? {
        begin(incremental)
        if batch.unblocksAll { send(ProviderMember.Directory.unblockAll) }
        if batch.unidentifiesAll { send(ProviderMember.Directory.unidentifyAll) }
        if !batch.unblocked.isEmpty { send(ProviderMember.Directory.unblock, batch.unblocked) }
        if !batch.unidentified.isEmpty { send(ProviderMember.Directory.unidentify, batch.unidentified) }
        if !batch.blocked.isEmpty { send(ProviderMember.Directory.block, batch.blocked) }
        if !batch.ranges.isEmpty {
            send(ProviderMember.Directory.blockRanges, batch.ranges.map { Struct($0.lowerBound, $0.upperBound) })
        }
        if !batch.identified.isEmpty {
            send(ProviderMember.Directory.identify, batch.identified.map { Struct($0.number, $0.label) })
        }
        return state.withLock { $0.refusal }
    }

    func leaveOut(_ count: UInt64, _ complaints: [String]) {
        // A message has room for a hundred of them.
        send(ProviderMember.Directory.leaveOut, count, complaints.map(\.directoryLabel))
    }

    func complete(incremental: Bool) -> CXErrorCodeCallDirectoryManagerError? {
        begin(incremental)
        send(ProviderMember.Directory.complete)
        return state.withLock { $0.refusal }
    }

    func cancel(_ error: any Error) {
        let error = error as? Refusal ?? Refusal(.loadingInterrupted, message: "\(error)".displayable)
        send(ProviderMember.Directory.cancel, error.busName, error.message.displayable)
    }

    func close() { Loop.shared.post { [link] in link.close() } }

    @LoopActor
    func call<each Argument: DBusType>(
        _ member: String, _ arguments: repeat each Argument,
        reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let path = ObjectPath.directory
            let message = try Message.call(at: path, Contract.directoryHost, member, repeat each arguments)
            link.call(message, timeout: Self.replyTimeout, reply: reply)
        } catch {
            reply(.failure(error))
        }
    }

    private func begin(_ incremental: Bool) {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { send(ProviderMember.Directory.begin, incremental) }
    }

    /// Sends a message and waits for the answer.
    private func send<each Argument: DBusType>(_ member: String, _ arguments: repeat each Argument) {
        let arguments = Struct(repeat each arguments)
        Loop.shared.post { [self] in
            call(member, repeat each arguments.fields) { [self] result in
                if case .failure(let error) = result {
                    state.withLock { $0.refusal = $0.refusal ?? Refusal(error) }
                }
                answered.signal()
            }
        }
        answered.wait()
    }
}
