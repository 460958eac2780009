// One cell of the decision table: what happens, to whom, with whom in the way.

import CallCore
import CallModel

/// An event and the facts that matter for it; what cannot matter is left out, so that the map stays readable.
package struct Cell: Hashable, Sendable, Comparable, CustomStringConvertible {
    package enum Event: String, Sendable, CaseIterable {
        // What somebody asks for.
        case start
        case emergencyStart = "emergency-start"
        case answer
        case emergencyAnswer = "emergency-answer"
        case end, hold, resume, mute, translate, join, leave, dtmf, transfer
        case answerTransfer = "answer-transfer"
        case several
        // What a provider reports.
        case incoming
        case emergencyIncoming = "emergency-incoming"
        case ended, connecting, connected, update
        case networkHold = "network-hold"
        case networkResume = "network-resume"
        case exchange, ongoing
        // How an action comes out.
        case fulfil, refuse, deadline
        // What becomes of providers, of time, and of the rest.
        case providerComes = "provider-comes"
        case providerAgain = "provider-again"
        case providerChanges = "provider-changes"
        case providerLost = "provider-lost"
        case providerRestarts = "provider-restarts"
        case providerLeaves = "provider-leaves"
        case ringOver = "ring-over"
        case connectOver = "connect-over"
        case lingerOver = "linger-over"
        case audioReleased = "audio-released"
        case audioReleaseOver = "audio-release-over"
        case audioAgentComes = "audio-agent-comes"
        case audioAgentGoes = "audio-agent-goes"
        case audioPrepared = "audio-prepared"
        case audioPrepareOver = "audio-prepare-over"
        case silence
        case doNotDisturb = "do-not-disturb"
        case doNotDisturbRules = "do-not-disturb-rules"
        case defaultProviders = "default-providers"
        case emergencyProviders = "emergency-providers"
        case knownProviders = "known-providers"
        // Before a call rings.
        case lookUpComes = "look-up-comes"
        case lookedUp = "looked-up"
        case lookUpOver = "look-up-over"
        case screenerComes = "screener-comes"
        case screenerGoes = "screener-goes"
        case screened
        case screenOver = "screen-over"
        case shutDown = "shut-down"
    }

    package enum Fact: String, Sendable, CaseIterable {
        // The state of the call that it is about.
        case starting, started, connecting, ringing, answering, active, holding, held, resuming, ending, ended
        case unknown, outgoing, incoming, itself
        // What is in the way.
        case nothing, holdable, unholdable, group
        case unholdableGroup = "unholdable-group"
        case dialing
        case taking = "being-answered"
        case moving = "being-moved"
        case leaving = "being-ended"
        case emergency
        case sameProvider = "same-provider"
        case otherProvider = "other-provider"
        case waits = "waits-for"
        // What is asked for, and what may be.
        case conflictHold = "conflict=hold"
        case conflictEnd = "conflict=end"
        case conflictFail = "conflict=fail"
        case grouped, lone, together, full, supported, unsupported, exchanged, ignored
        case notNow = "not-now"
        case isEmergency = "emergency-call"
        case changes, same
        case tooMany = "too-many"
        case noProvider = "no-provider"
        case identifierTaken = "identifier-taken"
        case shuttingDown = "shutting-down"
        case disturbed = "do-not-disturb"
        case gone
        // Who waits, who rings.
        case nobodyHeld = "nobody-displaced"
        case ownHeld = "displaced-of-same-provider"
        case otherHeld = "displaced-of-other-provider"
        case somebodyHeld = "somebody-displaced"
        case nobodyRings = "nobody-rings"
        case anotherRings = "another-rings"
        case ringingToo = "somebody-rings"
        case partner = "with"
        case alone
        // Rows of the policies.
        case returnsLocal = "return=local-end"
        case returnsAny = "return=any-end"
        case unholdableRefuses = "unholdable=refuses"
        case unholdableEnds = "unholdable=ends"
        case heldUnlimited = "held-calls=unlimited"
        case heldOrRefuse = "held-calls=one-or-refuse"
        case heldOrEnd = "held-calls=one-or-end"
        case secondWaits = "second-ringing=waits"
        case secondRefused = "second-ringing=is-refused"
        // Actions, and what they were for.
        case start, answer, end, hold, resume, mute, translate, join, leave, dtmf, transfer
        case answerTransfer = "answer-transfer"
        case requested, clearing, compensation, notice, stray
        case remote, failed
        case notReportable = "not-reportable"
        case asked
        case notAsked = "not-asked"
        case preparing
        case noCalls = "no-calls"
        case new, back, again, on, off, known
        // What is known of a caller, and what is made of a call.
        case waitsToRing = "waits-to-ring"
        case looksUp = "looks-up"
        case expected
        case allowed, blocked, favorite, repeated, unanswered
        case allowedProvider = "provider-allowed"
        case screeners, rings
        case allow, silence, reject, nonsense
        case last
        case notLast = "others-awaited"
    }

    package let event: Event
    package let facts: [Fact]

    package init(_ event: Event, _ facts: [Fact]) {
        self.event = event
        self.facts = facts
    }

    package var description: String { "\(event.rawValue): \(facts.map(\.rawValue).joined(separator: ", "))" }

    /// As a file name.
    package var name: String {
        ([event.rawValue] + facts.map(\.rawValue)).joined(separator: "-").replacing("=", with: "-")
    }

    private var order: [Int] {
        [Self.eventOrder[event] ?? 0] + facts.map { Self.factOrder[$0] ?? 0 }
    }
    private static let eventOrder = Dictionary(uniqueKeysWithValues: zip(Event.allCases, 0...))
    private static let factOrder = Dictionary(uniqueKeysWithValues: zip(Fact.allCases, 0...))

    package static func < (left: Cell, right: Cell) -> Bool {
        left.order.lexicographicallyPrecedes(right.order)
    }
}

extension Cell.Fact {
    init(_ state: CallState) {
        self =
            switch state {
            case .starting: .starting
            case .started: .started
            case .connecting: .connecting
            case .ringing: .ringing
            case .answering: .answering
            case .active: .active
            case .holding: .holding
            case .held: .held
            case .resuming: .resuming
            case .ending: .ending
            case .ended: .ended
            }
    }

    init(_ action: CallAction) {
        self =
            switch action {
            case .start: .start
            case .answer: .answer
            case .end: .end
            case .setHeld(_, true): .hold
            case .setHeld(_, false): .resume
            case .setMuted: .mute
            case .setTranslating: .translate
            case .setGroup(_, nil): .leave
            case .setGroup: .join
            case .playDTMF: .dtmf
            case .transfer: .transfer
            case .answerTransfer: .answerTransfer
            }
    }
    init(_ verdict: ScreeningVerdict.Word) {
        self =
            switch verdict {
            case .allow: .allow
            case .silence: .silence
            case .reject: .reject
            }
    }
}
