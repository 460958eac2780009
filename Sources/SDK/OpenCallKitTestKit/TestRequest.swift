// TestRequest: what came of something that the user asked for.

public import OpenCallKit
internal import Synchronization

/// A request under way. It is pending as long as a provider keeps one of its actions; the action's time-out, to which
/// ``TestHost/advance(by:)`` leads, ends that.
public final class TestRequest: Sendable {
    /// What came of a request.
    public enum Outcome: Sendable, Hashable {
        /// A provider has not answered yet.
        case pending
        /// Everything was done.
        case performed
        /// It was refused or has failed; what was done before stays done.
        case failed(CXErrorCodeRequestTransactionError)
    }

    private let content = Mutex<(outcome: Outcome, values: [String: CXValue])>((.pending, [:]))

    /// What came of it until now.
    public var outcome: Outcome { content.withLock { $0.outcome } }

    var values: [String: CXValue] { content.withLock { $0.values } }

    init() {}

    func settle(_ outcome: Outcome, _ values: [String: CXValue] = [:]) { content.withLock { $0 = (outcome, values) } }
}
