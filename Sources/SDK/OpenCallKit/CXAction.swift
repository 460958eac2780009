// CXAction: a request to a provider, which fulfills or fails it.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop
internal import Synchronization

/// The base class of actions (CallKit: CXAction). A provider fulfills or fails each action that it gets, once, on any
/// thread.
///
/// A second answer, or one after the time-out, changes nothing; it writes a line to standard error.
///
/// Actions are safe to use on any thread: here and in every subclass, constants are `let` and variables are behind a
/// mutex. The compiler cannot check that for a class that has subclasses, hence `@unchecked`.
public class CXAction: Codable, @unchecked Sendable {
    /// The action's identifier: a new one for an action that is requested, the system's for an action to perform.
    public let uuid: UUID
    /// The date at which the action fails without an answer. `distantFuture` for an action that this process created,
    /// and for one that is waiting for its turn in a transaction.
    public var timeoutDate: Date { progress.withLock { $0.timeoutDate } }

    enum Outcome: Sendable {
        case fulfilled(VariantDictionary)
        case failed(CallError)
        case refused(RefusalWord, String)
    }

    /// Why a provider cannot perform an action, in one word. Not in CallKit.
    public enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// The line or the far side is busy.
        case busy
        /// There is no connection to the network, or to the far side.
        case unreachable
        /// The network does not let this user do it.
        case unauthorized
        /// The network cannot do it.
        case unsupported
    }

    /// Takes the provider's answer to the action with this UUID, on any thread.
    typealias Answer = @Sendable (UUID, Outcome) -> Void

    private enum Status {
        case open, answered, timedOut
    }

    private struct Progress {
        var status = Status.open
        var timeoutDate: Date
        var answer: Answer?
    }

    private let progress: Mutex<Progress>

    /// Creates an action without a kind. Requesting it fails with `invalidAction`.
    public convenience init() {
        self.init(uuid: UUID(), timeoutDate: .distantFuture, answer: nil)
    }

    /// - Parameter answer: takes the provider's answer; called once at most, on any thread.
    init(uuid: UUID, timeoutDate: Date, answer: Answer?) {
        self.uuid = uuid
        progress = Mutex(Progress(timeoutDate: timeoutDate, answer: answer))
    }

    private enum CodingKeys: CodingKey {
        case uuid, timeoutDate, isComplete
    }

    /// Decodes an action. Answering the copy has no effect on the system. CallKit uses NSSecureCoding here.
    /// - Throws: `DecodingError`.
    public required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        uuid = try values.decode(UUID.self, forKey: .uuid)
        let timeoutDate = try values.decode(Date.self, forKey: .timeoutDate)
        let isComplete = try values.decode(Bool.self, forKey: .isComplete)
        progress = Mutex(Progress(status: isComplete ? .answered : .open, timeoutDate: timeoutDate))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(uuid, forKey: .uuid)
        try values.encode(timeoutDate, forKey: .timeoutDate)
        try values.encode(isComplete, forKey: .isComplete)
    }

    /// Whether the action has been fulfilled, has failed or has timed out.
    public var isComplete: Bool { progress.withLock { $0.status != .open } }

    /// Reports that the action was performed. Has no effect on an action that is already complete.
    public func fulfill() { complete(.fulfilled([:])) }

    /// Reports that the action cannot be performed.
    public func fail() { fail("") }

    /// Reports that the action cannot be performed, and why. Not in CallKit (LiveCommunicationKit:
    /// `ConversationAction.State.failed`).
    /// - Parameter reason: text for people, without the other party's name. It is appended to the message of the error
    ///   that the requesting client gets; no other client sees it. 256 characters are kept.
    public func fail(_ reason: String) { complete(.failed(CallError(.actionFailed, reason))) }

    /// Reports that the action cannot be performed, and why. Not in CallKit.
    /// - Parameters:
    ///   - refusal: the reason in one word, which the requesting client gets too. A call whose start or answer fails shows
    ///     it.
    ///   - reason: as for `fail(_:)`.
    public func fail(as refusal: Refusal, _ reason: String = "") {
        complete(.refused(refusal.word, reason))
    }

    /// Reports that the action cannot be performed, and why. Not in CallKit.
    /// - Parameter error: an error of CallKit is sent under its name on the bus, with its message; for any other error,
    ///   its description is the reason.
    public func fail(with error: any Error) {
        guard let error = error as? any CXErrorType else { return fail("\(error)") }
        complete(.failed(CallError(ErrorCode(busName: error.busName) ?? .actionFailed, error.message)))
    }

    func complete(_ outcome: Outcome) {
        let (before, answer) = progress.withLock { progress in
            defer {
                if progress.status == .open { progress.status = .answered }
                progress.answer = nil
            }
            return (progress.status, progress.answer)
        }
        switch before {
        case .open: break
        case .answered:
            Diagnostics.note("\(type(of: self)) \(uuid) was answered before; ignored")
            let uuid = uuid
            Loop.shared.post { SDKSession.current.connection.reportSecondAnswer(to: uuid) }
        case .timedOut: Diagnostics.note("\(type(of: self)) \(uuid) was answered after its time-out; ignored")
        }
        answer?(uuid, outcome)
    }

    /// Marks the action as failed, since its deadline has passed. A late answer is still passed on, so that the host
    /// can report it.
    func timeOut() {
        progress.withLock { if $0.status == .open { $0.status = .timedOut } }
    }

    /// Sets the deadline when the action's turn has come.
    func timeOut(at date: Date) { progress.withLock { $0.timeoutDate = date } }

    /// Marks the action as complete and drops its answer, which is no longer awaited.
    func abandon() {
        progress.withLock { progress in
            progress.status = .answered
            progress.answer = nil
        }
    }

    /// Calls the delegate method for this kind of action.
    func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) { refuse() }

    /// Fails the action, since the delegate has no method for its kind.
    final func refuse() {
        complete(.failed(CallError(.notSupported, "the provider does not perform \(type(of: self))")))
    }
}

extension CXAction.Refusal {
    fileprivate var word: RefusalWord {
        switch self {
        case .busy: .busy
        case .unreachable: .unreachable
        case .unauthorized: .unauthorized
        case .unsupported: .unsupported
        }
    }
}
