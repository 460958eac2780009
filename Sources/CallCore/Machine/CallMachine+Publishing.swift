// What observers see: derived properties, and the difference that one input made.

import CallModel

extension CallMachine {
    /// Works out the derived properties and announces what changed since the last input.
    mutating func publish() {
        let live = liveCalls
        let line = live.filter(\.hasLine)
        let audible = live.first { $0.state == .ringing && !$0.silenced }?.id
        for call in live {
            let ringMode = ringMode(of: call, lineIsBusy: !line.isEmpty, audible: audible)
            let options = answerOptions(of: call, live)
            let can = capabilities(of: call, options, live)
            if call.ringMode != ringMode { calls[call.id]?.ringMode = ringMode }
            if call.can != can { calls[call.id]?.can = can }
            if call.answerOptions != options { calls[call.id]?.answerOptions = options }
        }
        for call in (liveIDs + endedNow).compactMap({ calls[$0] }).sorted(by: { $0.createdOrder < $1.createdOrder }) {
            announce(call)
        }
        for id in endedNow { published[id] = nil }
        endedNow.removeAll(keepingCapacity: true)
        let active = line.filter { $0.hasConnected && $0.state != .resuming && $0.state != .ending }
            .min { ($0.joinedOrder, $0.createdOrder) < ($1.joinedOrder, $1.createdOrder) }?.id
        if active != activeCall {
            activeCall = active
            effects.append(.activeCallChanged(active))
        }
    }

    private mutating func announce(_ call: Call) {
        var call = call
        if call.state == .ended, call.can != [] || call.ringMode != nil || call.answerOptions != [] {
            call.can = []
            call.ringMode = nil
            call.answerOptions = []
            calls[call.id] = call
        }
        if let old = published[call.id] {
            let changes = CallChanges(from: old, to: call)
            guard !changes.isEmpty else { return }
            effects.append(.callChanged(call.id, changes))
        } else {
            effects.append(.callAdded(call.id))
        }
        published[call.id] = call
    }

    /// One audible ringer; call waiting while the line is busy, and for whoever rings second.
    private func ringMode(of call: Call, lineIsBusy: Bool, audible: CallID?) -> RingMode? {
        guard call.state == .ringing else { return nil }
        if call.silenced { return .silent }
        return !lineIsBusy && call.id == audible ? .audible : .waiting
    }

    private func capabilities(of call: Call, _ options: AnswerOptions, _ live: [Call]) -> Capabilities {
        var can: Capabilities = call.state == .ending || call.state == .ended ? [] : .end
        switch call.state {
        case .ringing: if !options.isSubset(of: .decline) { can.insert(.answer) }
        case .starting, .started, .connecting, .answering: can.insert(.mute)
        case .active:
            can.insert(.mute)
            if members(with: call.id).allSatisfy(\.isHoldable) { can.insert(.hold) }
            if call.supportsDTMF { can.insert(.dtmf) }
        case .held: can.formUnion([.mute, .resume])
        case .holding, .resuming: can.insert(.mute)
        case .ending, .ended: break
        }
        guard call.state == .active || call.state == .held else { return can }
        if call.group != nil, call.supportsUngrouping { can.insert(.ungroup) }
        if call.supportsGrouping, live.contains(where: { isGroupable(call, with: $0) }) { can.insert(.group) }
        return can
    }

    private func isGroupable(_ call: Call, with other: Call) -> Bool {
        guard other.id != call.id, other.provider == call.provider, other.supportsGrouping, !call.emergency,
            !other.emergency, other.state == .active || other.state == .held,
            call.group == nil || call.group != other.group
        else { return false }
        let maximum = Int(providers[call.provider]?.configuration.maximumCallsPerCallGroup ?? 0)
        return members(with: other.id).count < maximum
    }

    private func answerOptions(of call: Call, _ live: [Call]) -> AnswerOptions {
        guard call.state == .ringing, let provider = providers[call.provider] else { return [] }
        var options: AnswerOptions = .decline
        func clearances(_ conflict: ConflictPolicy) -> [Clearance]? {
            let newcomer = Newcomer(
                purpose: .answer, members: [call.id], provider: provider, isEmergency: call.emergency,
                conflict: conflict, holdRule: nil)
            return try? Arbiter.clearances(for: newcomer, among: live, under: policy).filter { clearance in
                switch clearance {
                // What ends by itself or only rings is not in the way.
                case .wait(let id): calls[id]?.state != .ending
                case .end(let id, _): calls[id]?.state != .ringing
                case .hold: true
                }
            }
        }
        if let plain = clearances(.hold) {
            if plain.isEmpty { options.insert(.answer) }
            if plain.contains(where: \.keepsTheCall) { options.insert(.holdAndAnswer) }
        }
        if let ending = clearances(.end), !ending.isEmpty { options.insert(.endAndAnswer) }
        return options
    }
}
