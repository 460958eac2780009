// The text form of the grant of audio, and of the audio agent.

import CallCore
import CallModel

extension AudioGrant {
    /// The holder, or what is done with the audio, and the agent.
    var text: String {
        let holder = holder?.rawValue ?? (phase == .idle ? "none" : phase.rawValue)
        return holder + (agent.map { " agent=\($0)" } ?? "")
    }
}

extension Words {
    mutating func readAudioAgent() throws(CallError) -> AudioAgentID {
        let text = try read("an audio agent")
        guard text.hasPrefix("g"), let number = UInt64(text.dropFirst()) else {
            throw CallError(.invalidArguments, "\(text) is not a valid audio agent: \(line)")
        }
        return AudioAgentID(number)
    }
}
