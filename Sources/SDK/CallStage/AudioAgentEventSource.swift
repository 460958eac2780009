// AudioAgentEventSource: the events of audio agents.

import CallCore
import CallModel

/// Keeps track of what audio agents were asked, and finds the event that leads to an input.
struct AudioAgentEventSource {
    private var current: AudioAgentID?
    private var latest: UInt64 = 0
    private var questions: [AudioAgentID: [ProviderID]] = [:]
    private var answered: Set<AudioAgentID> = []

    mutating func event(for input: Input) -> StageEvent {
        switch input {
        case .audioAgentRegistered(let id):
            guard id.number == latest + 1 else { return .impossible("the next audio agent is g\(latest + 1)") }
            latest = id.number
            current = id
            return .registerAudioAgent(id)
        case .audioAgentLost(let id):
            guard current == id else { return .impossible("\(id) is not the audio agent") }
            current = nil
            return .unregisterAudioAgent(id)
        case .audioPrepared(let id, let provider, let failed):
            guard current == id else { return .impossible("\(id) is not the audio agent any more") }
            // The host hears the answer to the latest question only.
            guard let asked = questions[id], asked.last == provider else {
                return .impossible("\(id) was not asked last to prepare audio for \(provider)")
            }
            guard answered.insert(id).inserted else { return .impossible("\(id) has answered already") }
            return .prepareAudio(id, question: asked.count - 1, failed: failed)
        default: return .impossible("the input does not concern the audio agent")
        }
    }

    /// Notes the host's questions.
    mutating func note(_ effect: Effect) {
        guard case .prepareAudio(let id, let provider, _, _) = effect else { return }
        questions[id, default: []].append(provider)
        answered.remove(id)
    }
}
