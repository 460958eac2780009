// TestRequest: the outcome of a request of the user.

public import OpenCallKit
internal import Synchronization

/// A request of the user. It is pending until the providers have answered its actions, or these have timed out; see
/// ``TestHost/advance(by:)``.
public final class TestRequest: Sendable {
    /// The outcome of a request.
    public enum Outcome: Sendable, Hashable {
        /// A provider has not answered yet.
        case pending
        /// All actions were performed.
        case performed
        /// The request was refused or has failed; earlier actions remain performed.
        case failed(CXErrorCodeRequestTransactionError)
    }

    private let content = Mutex<(outcome: Outcome, values: [String: CXValue])>((.pending, [:]))

    /// The present outcome.
    public var outcome: Outcome { content.withLock { $0.outcome } }

    var values: [String: CXValue] { content.withLock { $0.values } }

    init() {}

    func settle(_ outcome: Outcome, _ values: [String: CXValue] = [:]) { content.withLock { $0 = (outcome, values) } }
}
