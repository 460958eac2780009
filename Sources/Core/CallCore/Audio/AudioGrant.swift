// Rule 20: one grant of audio, released by the old holder before the new one gets it.

public import CallModel

/// Which provider may play and record.
public struct AudioGrant: Sendable, Hashable {
    /// The provider that was told to activate, and the call for which it was told.
    public private(set) var holder: ProviderID?
    public private(set) var call: CallID?
    /// The former holder, while its release is awaited.
    public private(set) var releasing: ProviderID?
    /// The holder and its call as they were last announced.
    private var announced = Announced()

    private struct Announced: Sendable, Hashable {
        var holder: ProviderID?
        var call: CallID?
    }

    public init() {}

    public var isActive: Bool { holder != nil }

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
                releasing = holder
                effects.append(.deactivateAudio(holder))
                effects.arm(.audioRelease(holder), after: .audioRelease)
            }
        }
        if !isActive, releasing == nil, let heard = heard(on: line) {
            holder = heard.provider
            call = heard.id
            effects.append(.activateAudio(heard.provider, heard.id))
        }
        let current = Announced(holder: holder, call: call)
        guard announced != current else { return }
        announced = current
        effects.append(.audioChanged(self))
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

    mutating func released(by provider: ProviderID, _ effects: inout Outbox) {
        guard releasing == provider else { return }
        releasing = nil
        effects.append(.disarm(.audioRelease(provider)))
    }

    mutating func releaseTimedOut(_ provider: ProviderID, _ effects: inout Outbox) {
        guard releasing == provider else { return }
        releasing = nil
        effects.note(
            .slowAudioRelease, .provider(provider), "the provider did not release its audio by the deadline")
    }

    /// Removes a provider that has gone, with its grant.
    mutating func lose(_ provider: ProviderID, _ effects: inout Outbox) {
        released(by: provider, &effects)
        guard holder == provider else { return }
        holder = nil
        call = nil
    }
}
