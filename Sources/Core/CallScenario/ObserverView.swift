// What an observer knows from announcements alone.

package import CallCore
package import CallModel

/// The published properties as they were announced last: after each step they must equal the machine's.
package struct ObserverView {
    /// The published properties of one call.
    package struct Seen: Hashable {
        package var state: CallState
        package var provider: ProviderID
        let direction: CallDirection
        package var heldBy: HeldBy?
        var remoteHeld: Bool
        var muted: Bool
        var video: Bool
        package var group: GroupID?
        var startedAt: UInt64
        var connectedAt: UInt64
        var end: End
        var can: Capabilities
        var answerOptions: AnswerOptions
        var ringMode: RingMode?
        var translation: Translation?
        var identity: CallIdentity
        var network: Network

        struct End: Hashable {
            let at: UInt64
            let reason: EndReason?
            let by: Origin?
            let network: NetworkEnd
        }
        struct Network: Hashable {
            let emergency: Bool
            let progress: CallProgress?
            let encryption: String
            let codec: String
            let quality: CallQuality?
        }
    }

    package private(set) var calls: [CallID: Seen] = [:]
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
            calls[call.id] = Seen(call)
            if Seen(call).isOffHold { adopted.insert(call.id) }
            let isFirst = [.starting, .ringing, .started, .active, .holding, .held, .ending, .ended].contains(
                call.state)
            return isFirst ? talkingTogether() : "call \(call.id) begins as \(call.state.rawValue)"
        case .callChanged(let call, let changes):
            guard var seen = calls[call.id] else { return nil }
            let before = seen.state
            seen.apply(changes, from: Seen(call))
            calls[call.id] = seen
            guard before.mayBecome(seen.state) else {
                return "call \(call.id) goes from \(before.rawValue) to \(seen.state.rawValue)"
            }
            return changes.isDisjoint(with: [.state, .heldBy, .group, .connectedAt]) ? nil : talkingTogether()
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

    /// Returns which calls the observer sees connected and not on hold though they are in no group together, if there are any.
    private func talkingTogether() -> String? {
        let talking = calls.filter { $0.value.isOffHold && !adopted.contains($0.key) }
        guard let first = talking.first, talking.count > 1,
            first.value.group == nil || talking.contains(where: { $0.value.group != first.value.group })
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
            if seen != Seen(call) { found.append("call \(call.id) changed without an announcement") }
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

extension ObserverView.Seen {
    init(_ call: Call) {
        state = call.state
        provider = call.provider
        direction = call.direction
        heldBy = call.heldBy
        remoteHeld = call.remoteHeld
        muted = call.muted
        video = call.video
        group = call.group
        startedAt = call.startedAt
        connectedAt = call.connectedAt
        end = End(at: call.endedAt, reason: call.endReason, by: call.endedBy, network: call.networkEnd)
        can = call.can
        answerOptions = call.answerOptions
        ringMode = call.ringMode
        translation = call.translation
        identity = CallIdentity(call)
        network = Network(
            emergency: call.emergency, progress: call.progress, encryption: call.encryption, codec: call.codec,
            quality: call.quality)
    }

    fileprivate var isOffHold: Bool { connectedAt != 0 && heldBy == nil && state != .ended }

    fileprivate mutating func apply(_ changes: CallChanges, from now: Self) {
        if changes.contains(.state) { state = now.state }
        if changes.contains(.provider) { provider = now.provider }
        if changes.contains(.heldBy) { heldBy = now.heldBy }
        if changes.contains(.remoteHeld) { remoteHeld = now.remoteHeld }
        if changes.contains(.muted) { muted = now.muted }
        if changes.contains(.video) { video = now.video }
        if changes.contains(.group) { group = now.group }
        if changes.contains(.startedAt) { startedAt = now.startedAt }
        if changes.contains(.connectedAt) { connectedAt = now.connectedAt }
        if changes.contains(.ended) { end = now.end }
        if changes.contains(.can) { can = now.can }
        if changes.contains(.answerOptions) { answerOptions = now.answerOptions }
        if changes.contains(.ringMode) { ringMode = now.ringMode }
        if changes.contains(.translation) { translation = now.translation }
        if changes.contains(.identity) { identity = now.identity }
        if !changes.isDisjoint(with: [.emergency, .progress, .encryption, .codec, .quality]) { network = now.network }
    }
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
