// The points of a certification, in the order in which they are examined. Their raw values are a contract: CI runs name
// them.

/// A requirement for plugins.
public enum Point: String, CaseIterable, Sendable {
    case file, note, permissions, hello, registration, account
    case configuration, ringtone, icon
    case start, connect
    case incoming
    case refusedIncoming = "refused-incoming"
    case answer, reject
    case mute, hold, resume
    case dtmf
    case dtmfPauses = "dtmf-pauses"
    case translation
    case secondCall = "second-call"
    case exchange
    case exchangeReports = "exchange-reports"
    case group
    case groupHold = "group-hold"
    case ungroup
    case transfer
    case attendedTransfer = "attended-transfer"
    case answerTransfer = "answer-transfer"
    case ongoing
    case end
    case audioDevices = "audio-devices"
    case audio
    case audioRelease = "audio-release"
    case unknownCall = "unknown-call"
    case unknownKind = "unknown-kind"
    case malformedAction = "malformed-action"
    case customActions = "custom-actions"
    case timedOut = "timed-out"
    case reset
    case restartInCall = "restart-in-call"
    case adopts
    case accountRefused = "account-refused"
    case accountRemoved = "account-removed"
    case lostNetwork = "lost-network"
    case ping
    case memory, descriptors
    case linkClosed = "link-closed"
    case linkAborted = "link-aborted"
    case sandbox, reports
    case endedCalls = "ended-calls"
    case lateAnswers = "late-answers"
    case doubleAnswers = "double-answers"
}

extension Point {
    /// Whether it is about a file, and the worker that loads it. A provider on the bus has neither.
    var isOfPlugins: Bool {
        [.file, .note, .permissions, .hello, .account, .linkClosed, .linkAborted, .sandbox].contains(self)
    }
}
