// org.opencallkit.AudioSession1: who has the grant of audio.

import CallCore
import CallModel
import DBus
import EventLoop

@LoopActor
final class AudioSessionObject {
    unowned let host: CallSystemHost
    private let copy: AudioGrant?

    /// - Parameter copy: shown instead of the machine's, for an announcement.
    init(host: CallSystemHost, copy: AudioGrant? = nil) {
        self.host = host
        self.copy = copy
    }

    private var audio: AudioGrant { copy ?? host.machine.audio }

    static let interface = Interface<AudioSessionObject>(Contract.audioSession) {
        Property("Active") { (object: AudioSessionObject) in object.audio.isActive }
        Property("Call") { (object: AudioSessionObject) in
            object.audio.call.map(CallObject.path(of:)) ?? .root
        }
        Property("Provider") { (object: AudioSessionObject) in
            object.audio.holder.map(ProviderObject.path(of:)) ?? .root
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
        exportStore()
    }

    func announceAudio() {
        let copy = AudioSessionObject(host: self, copy: machine.audio)
        tree.announceLater { [tree] in
            tree.propertiesChanged(
                of: copy, at: .audio, AudioSessionObject.interface, ["Active", "Call", "Provider"])
        }
    }

    func announceActiveCall() {
        let copy = CallSystemObject(host: self, activeCall: machine.activeCall)
        tree.announceLater { [tree] in
            tree.propertiesChanged(of: copy, at: .system, CallSystemObject.interface, ["ActiveCall"])
        }
    }
}
