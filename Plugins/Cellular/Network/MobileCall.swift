// MobileCall: a call in the list of a modem.

/// One call as a modem lists it.
struct MobileCall: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
        case dialing, alerting, incoming, waiting, active, held
    }

    /// How many calls of one modem are looked at. A mobile network has seven at most.
    static let maximum = 16

    /// The back end's name for the call.
    let id: String
    var isOutgoing: Bool
    var phase: Phase
    /// The number of the far side; empty if it is withheld.
    var number: String
    /// Whether the call is part of a conference.
    var isMultiparty = false

    /// Whether the call is connected.
    var isConnected: Bool { phase == .active || phase == .held }
}

extension [MobileCall] {
    /// The names of the calls in a phase.
    func ids(_ phases: MobileCall.Phase...) -> Set<String> {
        Set(filter { phases.contains($0.phase) }.map(\.id))
    }

    subscript(id: String) -> MobileCall? { first { $0.id == id } }
}
