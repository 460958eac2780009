// Rule 20: one grant of audio, released by the old holder and prepared by the audio agent before the new one gets it.

public import CallModel

/// Which provider may play and record.
public struct AudioGrant: Sendable, Hashable {
    /// What is done with the audio, by its name on the bus.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        case idle, waiting, releasing, preparing, active
    }

    /// The provider that was told to activate, and the call for which it was told.
    public private(set) var holder: ProviderID?
    public private(set) var call: CallID?
    /// The former holder, while its release is awaited.
    public private(set) var releasing: ProviderID?
    /// The next holder, while the agent's answer is awaited.
    public private(set) var preparing: ProviderID?
    /// The client that makes the desktop's sound give way to calls.
    public private(set) var agent: AudioAgentID?
    /// Whether a provider was asked for a call that will be heard, and has not answered.
    private var isAwaited = false
    /// Whether the agent was told to prepare, and not yet to finish.
    private(set) var isAgentEngaged = false
    /// Whether the agent's answer is awaited.
    private var isAgentAwaited = false
    /// Whether the agent did not answer in time, and has not answered since: it is told, and not waited for.
    public private(set) var isAgentSilent = false
    /// The providers that did not release the audio in time, and have not released it in time since.
    package private(set) var slowToRelease: Set<ProviderID> = []
    /// Whether an emergency call waits for the release.
    private var isReleaseUrgent = false
    /// The grant as it was last announced.
    private var announced = Announced()

    private struct Announced: Sendable, Hashable {
        var holder: ProviderID?
        var call: CallID?
        var phase = Phase.idle
        var agent: AudioAgentID?
    }

    public init() {}

    public var isActive: Bool { holder != nil }

    public var phase: Phase {
        if holder != nil { return .active }
        if releasing != nil { return .releasing }
        if preparing != nil { return .preparing }
        return isAwaited ? .waiting : .idle
    }

    /// Updates the grant to match the calls, after every input.
    ///
    /// - Parameter work: the action about the line that is being worked on.
    mutating func update(for calls: CallTable, line: [CallStanding], during work: CallAction?, _ effects: inout Outbox)
    {
        if let holder {
            if let call = heard(on: line, of: holder) {
                self.call = call.id
            } else if !isAboutToReturn(to: holder, calls, line, work) {
                self.holder = nil
                call = nil
                effects.append(.deactivateAudio(holder))
                if !slowToRelease.contains(holder) {
                    awaitRelease(by: holder, isUrgent: line.contains { $0.emergency }, &effects)
                }
            }
        }
        if let releasing, !isReleaseUrgent, line.contains(where: \.emergency) {
            awaitRelease(by: releasing, isUrgent: true, &effects)
        }
        if let preparing, heard(on: line, of: preparing) == nil { stopPreparing(&effects) }
        if !isActive, releasing == nil, let call = heard(on: line, of: preparing) { give(to: call, &effects) }
        isAwaited = Self.isAwaited(by: line)
        if !isAgentEngaged { introduce(line, &effects) }
        if phase == .idle, line.isEmpty { finish(&effects) }
        let current = Announced(holder: holder, call: call, phase: phase, agent: agent)
        guard announced != current else { return }
        announced = current
        effects.append(.audioChanged(self))
    }

    /// Gives the audio to a call's provider, or first has it prepared. An emergency call does not wait for that.
    private mutating func give(to call: CallStanding, _ effects: inout Outbox) {
        if agent != nil, preparing == nil {
            prepare(call.provider, call.id, &effects)
            if !call.emergency, !isAgentSilent {
                preparing = call.provider
                isAgentAwaited = true
                effects.arm(.audioPrepare(call.provider), after: .audioPrepare)
            }
        }
        if isAgentAwaited, !call.emergency { return }
        stopPreparing(&effects)
        holder = call.provider
        self.call = call.id
        effects.append(.activateAudio(call.provider, call.id))
    }

    /// Lets an agent that came meanwhile prepare, too.
    private mutating func introduce(_ line: [CallStanding], _ effects: inout Outbox) {
        if let holder, let call {
            prepare(holder, call, &effects)
        } else if let preparing, let call = heard(on: line, of: preparing) {
            prepare(preparing, call.id, &effects)
        }
    }

    private mutating func prepare(_ provider: ProviderID, _ call: CallID, _ effects: inout Outbox) {
        guard let agent else { return }
        effects.append(.prepareAudio(agent, provider, call, isSwitching: isAgentEngaged))
        isAgentEngaged = true
    }

    private mutating func stopPreparing(_ effects: inout Outbox) {
        stopAwaiting(&effects)
        preparing = nil
    }

    private mutating func stopAwaiting(_ effects: inout Outbox) {
        guard isAgentAwaited, let preparing else { return }
        isAgentAwaited = false
        effects.append(.disarm(.audioPrepare(preparing)))
    }

    private mutating func finish(_ effects: inout Outbox) {
        guard isAgentEngaged, let agent else { return }
        isAgentEngaged = false
        effects.append(.finishAudio(agent))
    }

    /// Whether a provider was asked for a call that will be heard.
    private static func isAwaited(by line: [CallStanding]) -> Bool {
        line.contains { [.starting, .answering, .resuming].contains($0.state) }
    }

    /// The un-held call whose start or answer was fulfilled.
    private func heard(on line: [CallStanding], of provider: ProviderID? = nil) -> CallStanding? {
        line.first { call in
            switch call.state {
            case .started, .connecting, .active, .holding: provider == nil || call.provider == provider
            case .ending: self.call == call.id && holder == call.provider
            case .starting, .ringing, .answering, .held, .resuming, .ended: false
            }
        }
    }

    /// Whether the work under way moves the line from one call of the holder to another: its audio stays.
    private func isAboutToReturn(
        to holder: ProviderID, _ calls: CallTable, _ line: [CallStanding], _ work: CallAction?
    ) -> Bool {
        guard let call = work.flatMap({ calls.standing(of: $0.call) }) else { return false }
        return call.provider == holder && call.state != .ended && line.contains { $0.provider == holder }
    }

    /// An emergency call waits a second at most for the audio of others.
    private mutating func awaitRelease(by provider: ProviderID, isUrgent: Bool, _ effects: inout Outbox) {
        (releasing, isReleaseUrgent) = (provider, isUrgent)
        let isShorter = isUrgent && effects.deadlines[.urgent] < effects.deadlines[.audioRelease]
        effects.arm(.audioRelease(provider), after: isShorter ? .urgent : .audioRelease)
    }

    mutating func released(by provider: ProviderID, _ effects: inout Outbox) {
        slowToRelease.remove(provider)
        guard releasing == provider else { return }
        releasing = nil
        effects.append(.disarm(.audioRelease(provider)))
    }

    mutating func releaseTimedOut(_ provider: ProviderID, _ effects: inout Outbox) {
        guard releasing == provider else { return }
        releasing = nil
        slowToRelease.insert(provider)
        effects.note(
            .slowAudioRelease, .provider(provider),
            "the provider did not release its audio by the deadline; until it does, nobody waits for it")
    }

    /// Takes the agent's answer for a provider. An answer that is not awaited means nothing.
    mutating func prepared(by agent: AudioAgentID, for provider: ProviderID, failed: Bool, _ effects: inout Outbox) {
        guard agent == self.agent else { return }
        isAgentSilent = false
        guard preparing == provider else { return }
        stopAwaiting(&effects)
        if failed { effects.note(.audioAgentFailed, .system, "the audio agent could not prepare the audio") }
    }

    mutating func preparationTimedOut(_ provider: ProviderID, _ effects: inout Outbox) {
        guard preparing == provider else { return }
        isAgentAwaited = false
        isAgentSilent = true
        effects.note(
            .slowAudioAgent, .system,
            "the audio agent did not prepare the audio by the deadline; until it answers, nobody waits for it")
    }

    /// Makes a client the agent, in place of the present one.
    mutating func agentComes(_ agent: AudioAgentID, _ effects: inout Outbox) {
        guard agent != self.agent else { return }
        finish(&effects)
        self.agent = agent
        isAgentSilent = false
    }

    /// Removes an agent that has gone. Nothing is awaited from it any longer.
    mutating func agentGoes(_ agent: AudioAgentID, _ effects: inout Outbox) {
        guard agent == self.agent else { return }
        self.agent = nil
        isAgentSilent = false
        isAgentEngaged = false
        stopAwaiting(&effects)
    }

    /// Removes a provider that has gone, with its grant.
    mutating func lose(_ provider: ProviderID, _ effects: inout Outbox) {
        released(by: provider, &effects)
        if preparing == provider { stopPreparing(&effects) }
        guard holder == provider else { return }
        holder = nil
        call = nil
    }

    /// The broken rules about the grant itself.
    func violations(line: [CallStanding]) -> [String] {
        var found: [String] = []
        let parties = [holder, releasing, preparing].compactMap { $0 }
        if parties.count > 1 { found.append("audio is at \(parties.map(\.rawValue)) at once") }
        if preparing != nil, agent == nil { found.append("audio is being prepared, and there is no agent") }
        if isAgentEngaged, agent == nil { found.append("an agent that has gone is engaged") }
        if isAgentEngaged, phase == .idle, line.isEmpty { found.append("the agent was not told to finish") }
        if phase == .idle, Self.isAwaited(by: line) { found.append("the audio is idle, and a call is about to get it") }
        if agent != nil, holder != nil, !isAgentEngaged { found.append("the agent does not know that audio is used") }
        return found
    }
}

extension AudioAgentID: CustomStringConvertible {
    public var description: String { "g\(number)" }
}
