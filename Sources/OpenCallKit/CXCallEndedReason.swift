// CXCallEndedReason: why a call ended, if it was not ended on this side.

internal import CallModel

/// What a provider may give as the reason of an end that nobody asked it for.
public enum CXCallEndedReason: Int, Sendable, Hashable, CaseIterable {
    case failed = 1
    case remoteEnded = 2
    case unanswered = 3
    case answeredElsewhere = 4
    case declinedElsewhere = 5

    var model: EndReason {
        switch self {
        case .failed: .failed
        case .remoteEnded: .remoteEnded
        case .unanswered: .unanswered
        case .answeredElsewhere: .answeredElsewhere
        case .declinedElsewhere: .declinedElsewhere
        }
    }

    /// The reason of this name on the bus, such as `remote-ended`. Not in CallKit.
    public init?(name: String) {
        guard let reason = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = reason
    }

    /// The name on the bus. Not in CallKit.
    public var name: String { model.rawValue }
}
