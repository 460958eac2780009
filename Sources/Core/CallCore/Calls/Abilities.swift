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
    private let calls: CallTable
    private let providers: [ProviderID: Provider]
    private let policy: Policy
    private let lineIsBusy: Bool
    /// The oldest ringing call that is not silenced: the one that is audible if the line is free.
    private let loudest: CallID?
    /// The ringing calls of one provider can be answered in the same ways, emergency calls excepted.
    private var answerOptions: [ProviderID: AnswerOptions] = [:]

    init(_ calls: CallTable, _ providers: [ProviderID: Provider], _ policy: Policy) {
        self.calls = calls
        self.providers = providers
        self.policy = policy
        lineIsBusy = calls.live.contains { $0.hasLine }
        loudest = calls.live.first { $0.state == .ringing && !$0.silenced }?.id
    }

    mutating func abilities(of call: Call) -> Abilities {
        let options = answerOptions(of: call)
        return Abilities(
            can: capabilities(of: call, options), answerOptions: options, ringMode: ringMode(of: call))
    }

    /// One call rings aloud; others wait, and all of them do while the line is busy.
    private func ringMode(of call: Call) -> RingMode? {
        guard call.state == .ringing else { return nil }
        if call.silenced { return .silent }
        return !lineIsBusy && call.id == loudest ? .audible : .waiting
    }

    private func capabilities(of call: Call, _ options: AnswerOptions) -> Capabilities {
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
        guard call.isTalking else { return can }
        if providers[call.provider]?.configuration.supportsAudioTranslation == true { can.insert(.translate) }
        if call.group != nil, call.supportsUngrouping { can.insert(.ungroup) }
        if calls.live.contains(where: { isGroupable(call, with: $0) }) { can.insert(.group) }
        return can
    }

    /// A group is held as a whole.
    private func isHoldable(_ call: Call) -> Bool {
        guard let group = call.group else { return call.isHoldable }
        return calls.live.allSatisfy { $0.group != group || $0.isHoldable }
    }

    /// Whether a call can be grouped with another: one provider, both allow it, and there is room in the other's group.
    private func isGroupable(_ call: Call, with other: Call) -> Bool {
        guard call.id != other.id, call.provider == other.provider, other.isTalking,
            call.supportsGrouping, other.supportsGrouping, !call.emergency, !other.emergency,
            call.group == nil || call.group != other.group
        else { return false }
        let size = other.group == nil ? 1 : calls.live.count { $0.group == other.group }
        return size < Int(providers[call.provider]?.configuration.maximumCallsPerCallGroup ?? 0)
    }

    // MARK: Ways to answer

    private mutating func answerOptions(of call: Call) -> AnswerOptions {
        guard call.state == .ringing, let provider = providers[call.provider] else { return [] }
        if call.emergency { return answerOptions(of: call, provider) }
        if let known = answerOptions[provider.id] { return known }
        let options = answerOptions(of: call, provider)
        answerOptions[provider.id] = options
        return options
    }

    private func answerOptions(of call: Call, _ provider: Provider) -> AnswerOptions {
        var options: AnswerOptions = .decline
        if let plain = obstacles(to: call, provider, .hold) {
            if plain.isEmpty { options.insert(.answer) }
            if plain.contains(where: \.keepsTheCall) { options.insert(.holdAndAnswer) }
        }
        if let ending = obstacles(to: call, provider, .end), !ending.isEmpty { options.insert(.endAndAnswer) }
        return options
    }

    /// What an answer would do to the calls in its way; nil if it would be refused.
    private func obstacles(to call: Call, _ provider: Provider, _ conflict: ConflictPolicy) -> [Clearance]? {
        let newcomer = Newcomer(
            purpose: .answer, members: Party(one: call.id), provider: provider.id,
            maximumCallGroups: provider.configuration.maximumCallGroups, isEmergency: call.emergency,
            conflict: conflict)
        return try? Arbiter.clearances(for: newcomer, among: calls, under: policy).filter { clearance in
            switch clearance {
            // A call that ends by itself or only rings is not in the way.
            case .wait(let id): calls[id]?.state != .ending
            case .end(let id, _, _): calls[id]?.state != .ringing
            case .hold: true
            }
        }
    }
}
