// RingMixer: whether the sound server lets the ringtone be heard.

import CallModel
import EventLoop
import Glibc
import Sound

/// Reads what people have muted in the mixer. The server does not tell when that changes, so it is read when it is asked for.
@LoopActor
final class RingMixer {
    /// Why no ringtone is heard, for people; nil if nothing is muted, or nobody says.
    private(set) var complaint: String?
    private let sound: SoundServer
    /// Whether the ringtone was muted when it was looked at last. WirePlumber 0.4 remembers that for the next one, and lists
    /// it nowhere.
    private var wasMuted = false

    init(_ sound: SoundServer) { self.sound = sound }

    /// - Parameter role: that of the ringtone.
    func read(for role: String) async {
        await look(at: role)
        complaint = await reason(for: role)
    }

    /// Looks at a ringtone that plays, if one does.
    func look(at role: String) async {
        guard let streams = try? await sound.playbackStreams() else { return }
        let own = streams.first {
            $0.properties["media.role"] == role
                && $0.properties["application.process.id"].flatMap(Int32.init) == getpid()
        }
        if let own { wasMuted = own.isMuted || own.volume.isSilent }
    }

    private func reason(for role: String) async -> String? {
        guard let facts = try? await sound.serverFacts() else { return nil }
        let memory = try? await sound.streamMemories().first { $0.name == "sink-input-by-media-role:\(role)" }
        if memory.map({ $0.isMuted || $0.volume.isSilent }) ?? wasMuted {
            return role == "event"
                ? "System Sounds are muted in the mixer" : "sounds of the role \(role) are muted in the mixer"
        }
        let sink = try? await sound.sinks().first { $0.name == memory?.device ?? facts.defaultSink }
        guard let sink, sink.isMuted || sink.volume.isSilent else { return nil }
        return "\(sink.description.displayable) is muted"
    }
}

extension ChannelVolumes {
    fileprivate var isSilent: Bool { !values.isEmpty && values.allSatisfy { $0 == 0 } }
}
