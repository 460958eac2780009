// SIPEnd: why a call has ended, as SIP tells it (RFC 3261, RFC 3326).

public import OpenCallKit

/// How the end of a call is reported.
public struct SIPEnd: Hashable, Sendable {
    public var reason: CXCallEndedReason
    public var details: CXCallEndedDetails

    public init(_ reason: CXCallEndedReason, _ detail: CXCallEndedDetails.Reason? = nil, code: String = "") {
        self.reason = reason
        details = CXCallEndedDetails(reason: detail, code: code)
    }
}

extension SIPEnd {
    /// What is known of a call when it ends.
    struct Standing: Hashable, Sendable {
        var isOutgoing: Bool
        var wasConnected: Bool
        /// Whether anybody has answered at all, provisionally.
        var hasProgressed: Bool
    }

    /// - Parameters:
    ///   - code: that of the final response; 0 for none.
    ///   - failure: nil for BYE and CANCEL.
    ///   - header: the value of a Reason header.
    init(_ standing: Standing, code: UInt16, failure: SIPFailure?, reason header: String) {
        let cause = ReasonHeader(header)
        if standing.wasConnected {
            self = failure.map { Self(.failed, Self.detail(of: $0)) } ?? Self(.remoteEnded)
        } else if standing.isOutgoing {
            self = Self.outgoing(standing, code, failure)
        } else {
            self = failure.map { Self(.failed, Self.detail(of: $0)) } ?? Self(Self.incoming(cause))
        }
        details.code = code > 0 ? "SIP \(code)" : cause?.text ?? ""
    }

    /// The caller has given up, or another phone of ours has the call.
    private static func incoming(_ cause: ReasonHeader?) -> CXCallEndedReason {
        switch cause {
        case .sip(200), .q850(26): .answeredElsewhere
        case .sip(486), .sip(600), .sip(603), .sip(607), .q850(17), .q850(21): .declinedElsewhere
        default: .unanswered
        }
    }

    private static func outgoing(_ standing: Standing, _ code: UInt16, _ failure: SIPFailure?) -> SIPEnd {
        if code == 0 {
            guard let failure else { return SIPEnd(.remoteEnded) }
            if failure == .timeout, standing.hasProgressed { return SIPEnd(.unanswered) }
            return SIPEnd(.failed, detail(of: failure))
        }
        switch code {
        case 486, 600: return SIPEnd(.remoteEnded, .busy)
        case 603, 607: return SIPEnd(.remoteEnded, .rejected)
        case 480, 487: return SIPEnd(.unanswered)
        case 408: return standing.hasProgressed ? SIPEnd(.unanswered) : SIPEnd(.failed, .network)
        default: return SIPEnd(.failed, detail(of: code))
        }
    }

    private static func detail(of code: UInt16) -> CXCallEndedDetails.Reason? {
        switch code {
        case 404, 410, 416, 484, 485, 604: .notFound
        case 401, 402, 403, 407, 433, 608: .forbidden
        case 405, 415, 420, 421, 488, 493, 494, 501, 505, 606: .incompatible
        case 437, 438: .certificate
        case 502, 503, 504: .network
        default: nil
        }
    }

    private static func detail(of failure: SIPFailure) -> CXCallEndedDetails.Reason? {
        switch failure {
        case .timeout, .unreachable, .nameNotFound: .network
        case .certificate: .certificate
        case .incompatible: .incompatible
        case .other: nil
        }
    }
}

/// The first cause of a Reason header: `SIP;cause=200;text="Call completed elsewhere"`.
enum ReasonHeader: Hashable, Sendable {
    case sip(UInt16)
    case q850(UInt16)

    /// Nil for a header without a cause of one of the two kinds.
    init?(_ header: String) {
        let words = header.prefix { $0 != "\"" }.split(separator: ";").map { $0.trimmed.lowercased() }
        guard let cause = words.first(where: { $0.hasPrefix("cause=") })?.dropFirst(6).prefix(while: \.isASCIIDigit),
            let number = UInt16(cause), number < 1_000
        else { return nil }
        switch words.first {
        case "sip": self = .sip(number)
        case "q.850": self = .q850(number)
        default: return nil
        }
    }

    /// `Q.850 17`.
    var text: String {
        switch self {
        case .sip(let code): "SIP \(code)"
        case .q850(let code): "Q.850 \(code)"
        }
    }
}
