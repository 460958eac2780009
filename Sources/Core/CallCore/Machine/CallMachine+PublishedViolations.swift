// Every published property is what working it out anew for each call says: run after every step in tests.

import CallModel

extension CallMachine {
    /// The derived properties that are not what they should be, each as a sentence.
    func publishedViolations() -> [String] {
        var found: [String] = []
        let live = calls.live
        let isBusy = live.contains(where: \.hasLine)
        let audible = live.first { $0.state == .ringing && !$0.silenced }?.id
        for call in live {
            func expect<Value: Equatable>(_ kept: Value, _ seen: Value, _ what: String) {
                if kept != seen { found.append("call \(call.id) is published with \(what) \(kept), it is \(seen)") }
            }
            let options = answerOptions(of: call)
            expect(call.ringMode, ringMode(of: call, isBusy, audible), "ring mode")
            expect(call.answerOptions, options, "answer options")
            expect(call.can, capabilities(of: call, options, live), "abilities")
        }
        for slot in calls.slots {
            guard let call = slot.call, !slot.isRetired else { continue }
            if slot.shown != call.shown || slot.shownFacts != call.facts {
                found.append("call \(call.id) has changed in silence")
            }
        }
        return found
    }

    private func ringMode(of call: Call, _ lineIsBusy: Bool, _ audible: CallID?) -> RingMode? {
        guard call.state == .ringing else { return nil }
        if call.silenced { return .silent }
        return !lineIsBusy && call.id == audible ? .audible : .waiting
    }

    private func capabilities(of call: Call, _ options: AnswerOptions, _ live: [Call]) -> Capabilities {
        var can: Capabilities = call.state == .ending ? [] : .end
        switch call.state {
        case .ringing: if !options.isSubset(of: .decline) { can.insert(.answer) }
        case .starting, .started, .connecting, .answering, .holding, .resuming: can.insert(.mute)
        case .active:
            can.insert(.mute)
            let members = live.filter { $0.id == call.id || $0.group != nil && $0.group == call.group }
            if members.allSatisfy(\.isHoldable) { can.insert(.hold) }
            if call.supportsDTMF { can.insert(.dtmf) }
        case .held: can.formUnion([.mute, .resume])
        case .ending, .ended: break
        }
        guard call.state == .active || call.state == .held else { return can }
        if isTranslatable(call) { can.insert(.translate) }
        if call.group != nil, call.supportsUngrouping { can.insert(.ungroup) }
        if call.supportsGrouping, live.contains(where: { isGroupable(call, with: $0, live) }) { can.insert(.group) }
        return can
    }

    private func isGroupable(_ call: Call, with other: Call, _ live: [Call]) -> Bool {
        guard other.id != call.id, other.provider == call.provider, other.supportsGrouping, !call.emergency,
            !other.emergency, other.state == .active || other.state == .held,
            call.group == nil || call.group != other.group
        else { return false }
        let maximum = Int(providers[call.provider]?.configuration.maximumCallsPerCallGroup ?? 0)
        return live.count { $0.id == other.id || $0.group != nil && $0.group == other.group } < maximum
    }

    private func answerOptions(of call: Call) -> AnswerOptions {
        guard call.state == .ringing, let provider = providers[call.provider] else { return [] }
        var options: AnswerOptions = .decline
        func clearances(_ conflict: ConflictPolicy) -> [Clearance]? {
            let newcomer = Newcomer(
                purpose: .answer, members: Party(one: call.id), provider: provider.id,
                maximumCallGroups: provider.configuration.maximumCallGroups, isEmergency: call.emergency,
                conflict: conflict, holdRule: nil)
            return try? Arbiter.clearances(for: newcomer, among: calls, under: policy).filter { clearance in
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
