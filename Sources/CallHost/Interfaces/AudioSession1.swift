// org.opencallkit.AudioSession1: who has the grant of audio.

import CallCore
import CallModel
import DBus
import EventLoop

@LoopActor
final class AudioSessionObject {
    unowned let host: CallSystemHost

    init(host: CallSystemHost) { self.host = host }

    static let interface = Interface<AudioSessionObject>(Contract.audioSession) {
        Property("Active") { (object: AudioSessionObject) in object.host.machine.audio.isActive }
        Property("Call") { (object: AudioSessionObject) in
            object.host.machine.audio.call.map(CallObject.path(of:)) ?? .root
        }
        Property("Provider") { (object: AudioSessionObject) in
            object.host.machine.audio.holder.map(ProviderObject.path(of:)) ?? .root
        }
    }
}

extension CallSystemHost {
    /// The objects that are there from the beginning.
    func exportRoot() {
        tree.announcesEveryChange = true
        tree.explainMissing = { [weak self] path in self?.explainMissing(path) }
        tree.export(CallSystemObject(host: self), at: .system, CallSystemObject.interface, objectManager: true)
        tree.export(AudioSessionObject(host: self), at: .audio, AudioSessionObject.interface)
    }
}
