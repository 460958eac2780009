// What can be done with a call and how it rings: derived from all calls together.

import CallModel

/// The published properties of a call that depend on other calls.
struct Abilities: Sendable, Hashable {
    var can: Capabilities = []
    var answerOptions: AnswerOptions = []
    var ringMode: RingMode?
}

/// Works out the abilities of calls at one moment.
struct AbilitiesNow {
    private typealias WaysToAnswer = (plain: AnswerOptions, ending: AnswerOptions)
    private let providers: [ProviderID: Provider]
    private let policy: Policy
    private let situation: Situation
    /// The oldest ringing call that is not silenced: the one that is audible if the line is free.
    private let loudest: CallID?
    /// How the ringing calls of each provider can be answered, unless they are emergency calls.
    private var answerOptions: [ProviderID: AnswerOptions] = [:]

    init(_ situation: Situation, _ providers: [ProviderID: Provider], _ policy: Policy) {
        self.providers = providers
        self.policy = policy
        self.situation = situation
        loudest = situation.ringing.first { !$0.silenced }?.id
        guard !situation.ringing.isEmpty else { return }
        let ways = waysToAnswer()
        for (id, provider) in providers where situation.ringing.contains(where: { $0.provider == id }) {
            answerOptions[id] = answerOptions(of: provider, ways)
        }
    }

    /// The abilities of every live call, in their order.
    func abilities() -> [Abilities] { situation.calls.map(abilities) }

    private func abilities(of call: CallStanding) -> Abilities {
        let options = answerOptions(of: call)
        return Abilities(
            can: capabilities(of: call, options), answerOptions: options, ringMode: ringMode(of: call))
    }

    /// One call rings aloud; others wait, and all of them do while the line is busy.
    private func ringMode(of call: CallStanding) -> RingMode? {
        guard call.state == .ringing else { return nil }
        if call.silenced { return .silent }
        return situation.line.isEmpty && call.id == loudest ? .audible : .waiting
    }

    private func capabilities(of call: CallStanding, _ options: AnswerOptions) -> Capabilities {
        var can: Capabilities = .end
        switch call.state {
        case .ending, .ended: return []
        case .ringing: if !options.isSubset(of: .decline) { can.insert(.answer) }
        case .starting, .started, .connecting, .answering, .holding, .resuming: can.insert(.mute)
        case .active:
            can.insert(.mute)
            if isHoldable(call) { can.insert(.hold) }
            if call.supportsDTMF { can.insert(.dtmf) }
        case .held: can.formUnion([.mute, .resume])
        }
        guard call.isTalking, let configuration = providers[call.provider]?.configuration else { return can }
        if configuration.supportsAudioTranslation { can.insert(.translate) }
        if configuration.supportsTransfer, !call.emergency { can.insert(.transfer) }
        if call.isTransferRequested, !call.emergency { can.insert(.answerTransfer) }
        if call.group != nil, call.supportsUngrouping { can.insert(.ungroup) }
        let maximum = Int(configuration.maximumCallsPerCallGroup)
        let isFree = call.supportsGrouping && !call.emergency
        if isFree, situation.counted.contains(where: { isGroupable(call, with: $0, maximum) }) { can.insert(.group) }
        return can
    }

    /// A group is held as a whole.
    private func isHoldable(_ call: CallStanding) -> Bool {
        guard let group = call.group else { return call.isHoldable }
        return !situation.calls.contains { $0.group == group && !$0.isHoldable }
    }

    /// Whether a call that may be grouped can be with another: one provider, the other may too, and its group has room.
    private func isGroupable(_ call: CallStanding, with other: CallStanding, _ maximum: Int) -> Bool {
        guard other.provider == call.provider, other.isTalking, other.supportsGrouping, !other.emergency,
            call.id != other.id, call.group == nil || call.group != other.group
        else { return false }
        return other.group == nil ? maximum > 1 : situation.calls.count { $0.group == other.group } < maximum
    }

    // MARK: Ways to answer

    private func answerOptions(of call: CallStanding) -> AnswerOptions {
        guard call.state == .ringing, let options = answerOptions[call.provider] else { return [] }
        guard call.emergency else { return options }
        let ways = waysToAnswer(isEmergency: true)
        return ways.plain.union(ways.ending)
    }

    private func answerOptions(of provider: Provider, _ ways: WaysToAnswer) -> AnswerOptions {
        if hasRoom(provider, leaving: []) { return ways.plain.union(ways.ending) }
        return hasRoom(provider, leaving: situation.line) ? ways.ending : .decline
    }

    /// Rule 4.
    private func hasRoom(_ provider: Provider, leaving: [CallStanding]) -> Bool {
        let present = situation.groupCount(of: provider.id, leaving: leaving)
        return present < Int(provider.configuration.maximumCallGroups)
    }

    /// The ways to answer a ringing call whose provider has room, plainly and by ending the calls in the way. It does not
    /// matter which call it is, since a ringing call is never in the way.
    private func waysToAnswer(isEmergency: Bool = false) -> WaysToAnswer {
        var (plain, ending): (AnswerOptions, AnswerOptions) = (.decline, .decline)
        if let obstacles = obstacles(isEmergency, .hold) {
            if obstacles.isEmpty { plain.insert(.answer) }
            if obstacles.contains(where: \.keepsTheCall) { plain.insert(.holdAndAnswer) }
        }
        if obstacles(isEmergency, .end)?.isEmpty == false { ending.insert(.endAndAnswer) }
        return (plain, ending)
    }

    /// What an answer would do to the calls in its way; nil if it would be refused.
    private func obstacles(_ isEmergency: Bool, _ conflict: ConflictPolicy) -> [Clearance]? {
        let newcomer = Newcomer(
            purpose: .answer, members: Party(), provider: nil, maximumCallGroups: 0, isEmergency: isEmergency,
            conflict: conflict)
        return try? Arbiter.clearances(for: newcomer, among: situation, under: policy).filter { clearance in
            switch clearance {
            // A call that ends by itself or only rings is not in the way.
            case .wait(let id): !situation.calls.contains { $0.id == id && $0.state == .ending }
            case .end(let id, _, _): !situation.ringing.contains { $0.id == id }
            case .hold: true
            }
        }
    }
}
