// The client that makes the desktop's sound give way to calls, and where it is asked.

import CallCore
import DBus
import EventLoop

/// A client that is the audio agent, or was the one before.
@LoopActor
final class AudioAgent {
    let id: AudioAgentID
    let name: String
    let client: String
    let path: ObjectPath
    let channel: any MessageChannel
    var watch: NameWatch?
    /// The number of the latest question; an answer to an earlier one means nothing.
    private(set) var question: UInt64 = 0

    init(_ id: AudioAgentID, name: String, client: String, path: ObjectPath, channel: any MessageChannel) {
        self.id = id
        self.name = name
        self.client = client
        self.path = path
        self.channel = channel
    }

    func nextQuestion() -> UInt64 {
        question += 1
        return question
    }
}

/// The audio agent by the number under which the core knows it, and the one that it replaced.
@LoopActor
final class AudioAgentBook {
    private(set) var current: AudioAgent?
    /// Those that were replaced and may still have to be told to finish.
    private var replaced: [AudioAgentID: AudioAgent] = [:]
    private var latest: UInt64 = 0

    subscript(id: AudioAgentID) -> AudioAgent? { current?.id == id ? current : replaced[id] }

    func replace(name: String, client: String, path: ObjectPath, channel: any MessageChannel) -> AudioAgent {
        if let former = remove() { replaced[former.id] = former }
        latest += 1
        let agent = AudioAgent(AudioAgentID(latest), name: name, client: client, path: path, channel: channel)
        current = agent
        return agent
    }

    /// Removes and returns the present agent.
    @discardableResult
    func remove() -> AudioAgent? {
        defer { current = nil }
        current?.watch?.cancel()
        return current
    }

    /// Forgets those that were replaced before this one came.
    func forgetReplaced(before id: AudioAgentID) {
        replaced = replaced.filter { $0.key.number >= id.number }
    }
}
