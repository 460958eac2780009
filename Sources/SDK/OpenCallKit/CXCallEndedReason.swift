// CXCallEndedReason: why a call ended without an action on this side.

package import CallModel

/// Why a call ended without an end action (CallKit: CXCallEndedReason).
public enum CXCallEndedReason: Int, Sendable, Hashable, CaseIterable {
    /// An error occurred, for example on the network.
    case failed = 1
    /// The far side hung up.
    case remoteEnded = 2
    /// The call was not answered before the network gave up.
    case unanswered = 3
    /// The user answered the call on another device.
    case answeredElsewhere = 4
    /// The user declined the call on another device.
    case declinedElsewhere = 5

    package var model: EndReason {
        switch self {
        case .failed: .failed
        case .remoteEnded: .remoteEnded
        case .unanswered: .unanswered
        case .answeredElsewhere: .answeredElsewhere
        case .declinedElsewhere: .declinedElsewhere
        }
    }

    /// Creates the reason with this name on the bus, such as `remote-ended`. Not in CallKit.
    public init?(name: String) {
        guard let reason = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = reason
    }

    /// The name on the bus. Not in CallKit.
    public var name: String { model.rawValue }
}
