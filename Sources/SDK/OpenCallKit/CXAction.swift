// CXAction: something that a provider is asked to do, until it is fulfilled or has failed.

internal import CallModel
internal import DBus
internal import EventLoop
internal import CallWire
internal import Synchronization

/// One thing to be done (CallKit: CXAction). A provider fulfils or fails each action that it is given, once, from any
/// thread.
///
/// An action that is answered a second time, or after its time-out, stays as it was; a line on standard error says so.
///
/// It is safe on every thread: what is constant is a `let`, all else is behind a mutex, here and in every subclass. The
/// compiler cannot check that for a class that has subclasses, hence `@unchecked`.
public class CXAction: Codable, @unchecked Sendable {
    /// Names the action: what is requested gets one here, what is to be performed brings its own.
    public let uuid: UUID
    /// When the action fails by itself. In the distant future for an action that was made here, and for one that waits
    /// for its turn in a transaction.
    public var timeoutDate: Date { progress.withLock { $0.timeoutDate } }

    enum Outcome: Sendable {
        case fulfilled(VariantDictionary)
        case failed(CallError)
    }

    private enum Status {
        case open, answered, timedOut
    }

    private struct Progress {
        var status = Status.open
        var timeoutDate: Date
        var answer: (@Sendable (Outcome) -> Void)?
    }

    private let progress: Mutex<Progress>

    /// An action without a kind. No provider can be asked for one: a request of it is refused as `invalidAction`.
    public convenience init() {
        self.init(uuid: .fresh(), timeoutDate: .distantFuture, answer: nil)
    }

    /// - Parameter answer: takes what the provider makes of the action; called once at most, on any thread.
    init(uuid: UUID, timeoutDate: Date, answer: (@Sendable (Outcome) -> Void)?) {
        self.uuid = uuid
        progress = Mutex(Progress(timeoutDate: timeoutDate, answer: answer))
    }

    private enum CodingKeys: CodingKey {
        case uuid, timeoutDate, isComplete
    }

    /// A copy of what was encoded, which nobody waits for. CallKit has NSSecureCoding here.
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

    /// Whether the action has been fulfilled or has failed, be it by its time-out.
    public var isComplete: Bool { progress.withLock { $0.status != .open } }

    /// Says that it is done. An action that is complete already stays as it was.
    public func fulfill() { complete(.fulfilled([:])) }

    /// Says that it cannot be done.
    public func fail() { fail("") }

    /// Says that it cannot be done, and why. Not in CallKit (LiveCommunicationKit: `ConversationAction.State.failed`).
    /// - Parameter reason: for a person, without the other party's name; it ends the message of the error that whoever
    ///   asked gets, and goes to nobody else. 256 characters are kept.
    public func fail(_ reason: String) { complete(.failed(CallError(.actionFailed, reason))) }

    /// Says that it cannot be done, and why. Not in CallKit.
    /// - Parameter error: one of CallKit's goes under its name on the bus, with its message; of any other, its description
    ///   is the reason.
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
            Loop.shared.post { HostConnection.shared.reportSecondAnswer(to: uuid) }
        case .timedOut: Diagnostics.note("\(type(of: self)) \(uuid) was answered after its time-out; ignored")
        }
        answer?(outcome)
    }

    /// The deadline has passed: the action has failed. A late answer is still passed on, to be noted.
    func timeOut() {
        progress.withLock { if $0.status == .open { $0.status = .timedOut } }
    }

    /// Its turn has come, or will come: until then it does not fail by itself.
    func timeOut(at date: Date) { progress.withLock { $0.timeoutDate = date } }

    /// Nobody waits for an answer any more.
    func abandon() {
        progress.withLock { progress in
            progress.status = .answered
            progress.answer = nil
        }
    }

    /// Hands the action to the delegate method for its kind.
    func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) { refuse() }

    /// Nobody performs actions of this kind.
    final func refuse() {
        complete(.failed(CallError(.notSupported, "the provider does not perform \(type(of: self))")))
    }
}
