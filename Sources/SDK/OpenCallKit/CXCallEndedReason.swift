// CXCallEndedReason: why a call ended, if it was not ended on this side.

internal import CallModel

/// What a provider may give as the reason of an end that nobody asked it for (CallKit: CXCallEndedReason).
public enum CXCallEndedReason: Int, Sendable, Hashable, CaseIterable {
    /// Something went wrong, such as the network.
    case failed = 1
    /// The far side hung up.
    case remoteEnded = 2
    /// Nobody answered, for as long as the network waits.
    case unanswered = 3
    /// Another device of the user's has answered.
    case answeredElsewhere = 4
    /// The user has declined on another device.
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
