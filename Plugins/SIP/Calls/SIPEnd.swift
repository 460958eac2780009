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
    ///   - header: the values of Reason headers, with a comma between them.
    init(_ standing: Standing, code: UInt16, failure: SIPFailure?, reason header: String) {
        let causes = SIPCause.causes(in: header)
        if standing.wasConnected {
            self = failure.map { Self(.failed, Self.detail(of: $0)) } ?? Self(.remoteEnded)
        } else if standing.isOutgoing {
            self = Self.outgoing(standing, code, failure, causes)
        } else {
            self = failure.map { Self(.failed, Self.detail(of: $0)) } ?? Self.incoming(causes)
        }
        if code > 0 {
            details.code = "SIP \(code)"
        } else if details.code.isEmpty {
            details.code = causes.first?.text ?? ""
        }
    }

    /// The caller has given up, or another phone of ours has the call.
    private static func incoming(_ causes: [SIPCause]) -> SIPEnd {
        for cause in causes {
            switch cause {
            case .sip(200), .q850(26): return SIPEnd(.answeredElsewhere, code: cause.text)
            case .sip(486), .sip(600), .sip(603), .sip(607), .q850(17), .q850(21):
                return SIPEnd(.declinedElsewhere, code: cause.text)
            default: break
            }
        }
        return SIPEnd(.unanswered)
    }

    private static func outgoing(
        _ standing: Standing, _ code: UInt16, _ failure: SIPFailure?, _ causes: [SIPCause]
    ) -> SIPEnd {
        if code == 0 {
            guard let failure else {
                return causes.lazy.compactMap { ending(of: $0, standing) }.first ?? SIPEnd(.remoteEnded)
            }
            if failure == .timeout, standing.hasProgressed { return SIPEnd(.unanswered) }
            return SIPEnd(.failed, detail(of: failure))
        }
        // A gateway that has no better code for it tells the network's own cause beside it (RFC 6432).
        let usual = ending(of: code, standing)
        return isVague(code) ? causes.lazy.compactMap { ending(of: $0, standing) }.first ?? usual : usual
    }

    /// Whether a response says little about why.
    private static func isVague(_ code: UInt16) -> Bool {
        switch code {
        case 400, 480, 487, 500...599: true
        default: detail(of: code) == nil && ![408, 486, 600, 603, 607].contains(code)
        }
    }

    private static func ending(of code: UInt16, _ standing: Standing) -> SIPEnd {
        switch code {
        case 486, 600: SIPEnd(.remoteEnded, .busy)
        case 603, 607: SIPEnd(.remoteEnded, .rejected)
        case 480, 487: SIPEnd(.unanswered)
        case 408: standing.hasProgressed ? SIPEnd(.unanswered) : SIPEnd(.failed, .network)
        default: SIPEnd(.failed, detail(of: code))
        }
    }

    /// Nil for a cause that says no more than that the call has ended.
    private static func ending(of cause: SIPCause, _ standing: Standing) -> SIPEnd? {
        switch cause {
        case .sip(let code): return code >= 400 ? ending(of: code, standing) : nil
        // ITU-T Q.850, as RFC 3398, 7.2.4.1 turns it into responses.
        case .q850(let number):
            switch number {
            case 17: return SIPEnd(.remoteEnded, .busy)
            case 21: return SIPEnd(.remoteEnded, .rejected)
            case 18, 19, 20: return SIPEnd(.unanswered)
            case 1, 2, 3, 22, 28: return SIPEnd(.failed, .notFound)
            case 27, 34, 38, 41, 42, 44, 47: return SIPEnd(.failed, .network)
            case 50, 55, 57: return SIPEnd(.failed, .forbidden)
            case 58, 65, 70, 79, 88: return SIPEnd(.failed, .incompatible)
            default: return nil
            }
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

/// A cause of a Reason header (RFC 3326): `SIP;cause=200;text="Call completed elsewhere"`.
enum SIPCause: Hashable, Sendable {
    case sip(UInt16)
    case q850(UInt16)

    /// The causes of the two kinds, in their order. Others are left out.
    static func causes(in header: String) -> [SIPCause] {
        SIPQuotes.parts(of: header, at: ",").compactMap(SIPCause.init)
    }

    private init?(_ value: String) {
        let parts = SIPQuotes.parts(of: value, at: ";").map { $0.trimmed.lowercased() }
        let causes = parts.dropFirst().compactMap { part -> UInt16? in
            let halves = part.split(separator: "=", maxSplits: 1).map(\.trimmed)
            guard halves.count == 2, halves[0] == "cause" else { return nil }
            let digits = SIPQuotes.unquoted(halves[1])
            return digits.allSatisfy(\.isASCIIDigit) ? UInt16(digits) : nil
        }
        guard let number = causes.first, number < 1_000 else { return nil }
        switch parts.first {
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
