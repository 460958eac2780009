// The states of a call. Raw values are the names on the bus.

/// Outgoing: `starting`→`started`→`connecting`→`active`; incoming: `ringing`→`answering`→`active`.
public enum CallState: String, Sendable, Hashable, CaseIterable {
    case starting, started, connecting
    case ringing, answering
    case active
    case holding, held, resuming
    case ending, ended

    /// Whether an outgoing call in this state waits for the far side to answer.
    public var isDialing: Bool { self == .starting || self == .started || self == .connecting }

    /// Whether a call in this state has the line: it is, may be or may become audible.
    public var hasLine: Bool {
        switch self {
        case .starting, .started, .connecting, .answering, .active, .holding, .resuming: true
        case .ringing, .held, .ending, .ended: false
        }
    }
}

/// Who began the call.
public enum CallDirection: String, Sendable, Hashable, CaseIterable {
    case outgoing, incoming
}

/// Who put a held call on hold.
public enum HeldBy: String, Sendable, Hashable {
    case user, arbiter, provider
}

/// How a ringing call is announced: the one audible ringer, the call-waiting tone, or not at all.
public enum RingMode: String, Sendable, Hashable {
    case audible, waiting, silent
}

/// Where the name of the far side comes from; the earlier wins.
public enum CallerNameSource: String, Sendable, Hashable, CaseIterable {
    case provider, contacts, favorite, directory, network, none
}

/// Why a call ended. The first five are CXCallEndedReason, which providers report; the rest come from the host.
public enum EndReason: String, Sendable, Hashable, CaseIterable {
    case failed
    case remoteEnded = "remote-ended"
    case unanswered
    case answeredElsewhere = "answered-elsewhere"
    case declinedElsewhere = "declined-elsewhere"
    case localEnded = "local-ended"
    case declined
    case providerCrashed = "provider-crashed"
    /// The user had its provider restarted, or put a new version of it in place.
    case providerRestarted = "provider-restarted"
    case timedOut = "timed-out"
    case displaced
    /// The far side was connected with another party.
    case transferred

    /// Whether a provider may report it (CXCallEndedReason).
    public var isReportable: Bool {
        switch self {
        case .failed, .remoteEnded, .unanswered, .answeredElsewhere, .declinedElsewhere: true
        case .localEnded, .declined, .providerCrashed, .providerRestarted, .timedOut, .displaced, .transferred: false
        }
    }
}

/// On whose account a call ended.
public enum Origin: String, Sendable, Hashable, CaseIterable {
    case user, remote, provider, arbiter, deadline, policy, system
}

/// What can be done with a call now; the words of the `Can` property, in this order.
public struct Capabilities: WordSet {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let hold = Capabilities(rawValue: 1 << 0)
    public static let resume = Capabilities(rawValue: 1 << 1)
    public static let group = Capabilities(rawValue: 1 << 2)
    public static let ungroup = Capabilities(rawValue: 1 << 3)
    public static let dtmf = Capabilities(rawValue: 1 << 4)
    public static let mute = Capabilities(rawValue: 1 << 5)
    public static let answer = Capabilities(rawValue: 1 << 6)
    public static let end = Capabilities(rawValue: 1 << 7)
    public static let translate = Capabilities(rawValue: 1 << 8)

    public static let transfer = Capabilities(rawValue: 1 << 9)
    public static let answerTransfer = Capabilities(rawValue: 1 << 10)

    public static let words: [(Capabilities, String)] = [
        (.hold, "hold"), (.resume, "resume"), (.group, "group"), (.ungroup, "ungroup"), (.dtmf, "dtmf"),
        (.mute, "mute"), (.translate, "translate"), (.transfer, "transfer"),
        (.answerTransfer, "answer-transfer"), (.answer, "answer"), (.end, "end"),
    ]
}

/// The ways to take a ringing call now; the words of the `AnswerOptions` property, in this order.
public struct AnswerOptions: WordSet {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let answer = AnswerOptions(rawValue: 1 << 0)
    public static let holdAndAnswer = AnswerOptions(rawValue: 1 << 1)
    public static let endAndAnswer = AnswerOptions(rawValue: 1 << 2)
    public static let decline = AnswerOptions(rawValue: 1 << 3)

    public static let words: [(AnswerOptions, String)] = [
        (.answer, "answer"), (.holdAndAnswer, "hold-and-answer"), (.endAndAnswer, "end-and-answer"),
        (.decline, "decline"),
    ]
}
