// Rule 20: one grant of audio, released by the old holder before the new one gets it.

public import CallModel

/// Who may play and record.
public struct AudioGrant: Sendable, Hashable {
    /// The provider that was told to activate, and the call it was told for.
    public internal(set) var holder: ProviderID?
    public internal(set) var call: CallID?
    /// The former holder, while its release is awaited.
    public internal(set) var releasing: ProviderID?

    public init() {}

    public var isActive: Bool { holder != nil }
}

extension CallMachine {
    /// Brings the grant in line with the calls, after every input.
    mutating func updateAudio() {
        if let holder = audio.holder {
            if let call = callWithAudio(of: holder) {
                audio.call = call
            } else if !isAboutToReturn(to: holder) {
                audio = AudioGrant()
                audio.releasing = holder
                effects.append(.deactivateAudio(holder))
                effects.append(
                    .arm(.audioRelease(holder), at: now.advanced(byMilliseconds: deadlines[.audioRelease])))
            }
        }
        if !audio.isActive, audio.releasing == nil, let call = callWithAudio(of: nil),
            let provider = calls.provider(of: call)
        {
            audio.holder = provider
            audio.call = call
            effects.append(.activateAudio(provider, call))
        }
        if audio.holder != publishedAudio.holder || audio.call != publishedAudio.call {
            publishedAudio = audio
            effects.append(.audioChanged(audio))
        }
    }

    /// The un-held call whose start or answer was fulfilled.
    private func callWithAudio(of provider: ProviderID?) -> CallID? {
        calls.line.first { call in
            switch call.state {
            case .started, .connecting, .active, .holding: provider == nil || calls.provider(of: call) == provider
            case .ending: audio.call == call.id && audio.holder == calls.provider(of: call)
            case .starting, .ringing, .answering, .held, .resuming, .ended: false
            }
        }?.id
    }

    /// Whether the transaction at work moves the line from one call of the holder to another: its audio stays.
    private func isAboutToReturn(to holder: ProviderID) -> Bool {
        guard let head = queue.first, let action = transactions[head]?.current else { return false }
        return calls.provider(of: action.call) == holder && calls.state(of: action.call) != .ended
            && calls.line.contains { calls.provider(of: $0) == holder }
    }

    mutating func audioReleased(by provider: ProviderID) {
        guard audio.releasing == provider else { return }
        audio.releasing = nil
        effects.append(.disarm(.audioRelease(provider)))
    }

    mutating func audioReleaseTimedOut(_ provider: ProviderID) {
        guard audio.releasing == provider else { return }
        audio.releasing = nil
        note(.slowAudioRelease, .provider(provider), "the provider did not release its audio by the deadline")
    }

    mutating func audioHolderLost(_ provider: ProviderID) {
        if audio.releasing == provider {
            audio.releasing = nil
            effects.append(.disarm(.audioRelease(provider)))
        }
        if audio.holder == provider { audio = AudioGrant() }
    }
}
