// What an observer knows from announcements alone.

import CallCore
package import CallModel

/// The published properties as they were announced last: after each step they must equal the machine's.
package struct ObserverView {
    package private(set) var calls: [CallID: PublishedCall] = [:]
    /// The calls that were connected when they were reported, and are about to give up the line or to take it from others.
    private var adopted: Set<CallID> = []
    private var activeCall: CallID?
    private var ringingCall: CallID?
    private var suggestedResume: CallID?
    private var audio = AudioGrant()
    private var providers: [ProviderID: Provider] = [:]

    mutating func apply(_ effect: Effect) -> String? {
        switch effect {
        case .callAdded(let call):
            calls[call.id] = call.published
            if call.published.isOffHold { adopted.insert(call.id) }
            let isFirst = [.starting, .ringing, .started, .active, .holding, .held, .ending, .ended].contains(
                call.state)
            return isFirst ? talkingTogether() : "call \(call.id) begins as \(call.state.rawValue)"
        case .callChanged(let call, let changes):
            guard var seen = calls[call.id] else { return nil }
            let (before, now) = (seen.state, call.published)
            for field in changes.fields { field.decode(&seen, field.encode(now)) }
            calls[call.id] = seen
            guard before.mayBecome(seen.state) else {
                return "call \(call.id) goes from \(before.rawValue) to \(seen.state.rawValue)"
            }
            return changes.isDisjoint(with: Self.ofTheLine) ? nil : talkingTogether()
        case .callRemoved(let id): calls[id] = nil
        case .activeCallChanged(let id): activeCall = id
        case .ringingCallChanged(let id): ringingCall = id
        case .suggestedResumeChanged(let id): suggestedResume = id
        case .audioChanged(let grant): audio = grant
        case .providerAdded(let provider), .providerChanged(let provider): providers[provider.id] = provider
        case .providerRemoved(let id): providers[id] = nil
        default: break
        }
        return nil
    }

    /// What tells whether calls are heard together.
    private static let ofTheLine = CallChanges(
        CallProperty.state, CallProperty.heldBy, CallProperty.group, CallProperty.connectedAt)

    /// Returns which calls the observer sees connected and not on hold though they are in no group together, if there are any.
    private func talkingTogether() -> String? {
        let talking = calls.filter { $0.value.isOffHold && !adopted.contains($0.key) }
        guard let first = talking.first, talking.count > 1,
            first.value.group.isEmpty || talking.contains(where: { $0.value.group != first.value.group })
        else { return nil }
        let names = talking.keys.map(\.description).sorted()
        return "observers see calls off hold together: \(names.joined(separator: ", "))"
    }

    /// Returns the differences between the observer and the machine.
    mutating func differences(_ machine: CallMachine) -> [String] {
        var found: [String] = []
        adopted = machine.callsBeingAdopted
        for call in machine.calls.values {
            guard let seen = calls[call.id] else {
                found.append("call \(call.id) is not announced")
                continue
            }
            if seen != call.published { found.append("call \(call.id) changed without an announcement") }
        }
        if calls.count > machine.calls.count { found.append("a call is gone without an announcement") }
        if activeCall != machine.activeCall { found.append("the active call changed without an announcement") }
        if ringingCall != machine.ringingCall || suggestedResume != machine.suggestedResume {
            found.append("the ringing call or the suggested one changed without an announcement")
        }
        if audio.holder != machine.audio.holder || audio.call != machine.audio.call
            || audio.phase != machine.audio.phase || audio.agent != machine.audio.agent
        {
            found.append("the audio grant changed without an announcement")
        }
        if providers.mapValues(\.shown) != machine.providers.mapValues(\.shown) {
            found.append("a provider changed without an announcement")
        }
        return found
    }
}

extension PublishedCall {
    fileprivate var isOffHold: Bool { connectedAt != 0 && heldBy == nil && state != .ended }
}

extension CallState {
    /// Returns whether an observer may see `next` after this state, with states between left out.
    fileprivate func mayBecome(_ next: CallState) -> Bool {
        if next == .answering { return self == .ringing || self == .answering }
        if self == .ringing || self == .answering { return next == self || next.stage >= CallState.active.stage }
        return next.stage >= stage
    }

    /// The stage of the call's life, which never decreases.
    private var stage: Int {
        switch self {
        case .starting, .ringing: 0
        case .started, .answering: 1
        case .connecting: 2
        case .active, .holding, .held, .resuming: 3
        case .ending: 4
        case .ended: 5
        }
    }
}
