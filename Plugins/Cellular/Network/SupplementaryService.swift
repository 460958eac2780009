// SupplementaryService: what a mobile network can do with its calls.

/// A service of 3GPP TS 22.030, 6.5.5, with the command of TS 27.007 that asks for it.
enum SupplementaryService: Hashable, Sendable {
    /// Holds the active party, and accepts the waiting call or resumes the held party (AT+CHLD=2).
    case exchange
    /// Ends the active party and accepts the waiting call (AT+CHLD=1).
    case releaseAndAccept
    /// Answers the only call that rings (ATA).
    case accept(String)
    /// Ends one call (AT+CHLD=1x), or declines the one that waits (AT+CHLD=0).
    case hangUp(String)
    /// Joins the held party, of which this is a call, with the active one (AT+CHLD=3).
    case join(String)
    /// Holds all calls of the active conference but this one (AT+CHLD=2x).
    case leave(String)
}

/// Why the network has no service for what is asked.
enum ServiceRefusal: Error, Hashable, Sendable {
    /// The modem has no such call.
    case unknownCall
    /// A call waits: an exchange would accept it.
    case callWaits
    /// An exchange would resume a call that shall not be resumed, or hold one that shall not be held.
    case wouldExchangeOthers
    /// The network has no such service.
    case noService
    /// A call is being dialed.
    case dialing

    /// The reason for people.
    var text: String {
        switch self {
        case .unknownCall: "the modem has no such call"
        case .callWaits: "a call waits, which the network would accept"
        case .wouldExchangeOthers: "the mobile network only exchanges the active calls with the held ones"
        case .noService: "the mobile network has no such service"
        case .dialing: "a call is being dialed"
        }
    }
}
