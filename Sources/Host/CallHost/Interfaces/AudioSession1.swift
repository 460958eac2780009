// org.opencallkit.AudioSession1: who has the grant of audio.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class AudioSessionObject {
    /// The grant as it was announced last.
    private var audio = AudioGrant()
    /// The name of its agent; empty if there is none.
    private var agent = ""

    static let interface = Interface<AudioSessionObject>(Contract.audioSession) {
        Property("Active") { (object: AudioSessionObject) in object.audio.isActive }
        Property("Call") { (object: AudioSessionObject) in
            object.audio.call.map(ObjectPath.call) ?? .root
        }
        Property("Provider") { (object: AudioSessionObject) in
            object.audio.holder.map(ObjectPath.provider) ?? .root
        }
        Property("Phase") { (object: AudioSessionObject) in object.audio.phase.rawValue }
        Property("Agent") { (object: AudioSessionObject) in object.agent }
    }

    /// Takes the new grant over and returns the names of the properties that change with it.
    func take(_ audio: AudioGrant, agent: String) -> [String] {
        let (old, former) = (self.audio, self.agent)
        self.audio = audio
        self.agent = agent
        return [
            ("Active", old.isActive != audio.isActive), ("Call", old.call != audio.call),
            ("Provider", old.holder != audio.holder), ("Phase", old.phase != audio.phase), ("Agent", former != agent),
        ].filter(\.1).map(\.0)
    }
}

extension CallSystemHost {
    /// Exports the objects that are there from the beginning.
    func exportRoot() {
        tree.permit = { [weak self] use, context throws(DBusError) in try self?.permit(use, context) }
        tree.conceal = { [weak self] in self?.concealment(for: $0) }
        tree.substitute = { [weak self] in self?.substitution(for: $0) }
        tree.explainMissing = { [weak self] path in self?.explainMissing(path) }
        tree.export(root, at: .system, CallSystemObject.interface, objectManager: true)
        tree.export(audioSession, at: .audio, AudioSessionObject.interface)
        tree.export(AccountsObject(accounts), at: .accounts, AccountsObject.interface)
        tree.export(AccessObject(self), at: .access, AccessObject.interface)
        exportStore()
    }

    func announce(_ audio: AudioGrant) {
        let agent = audio.agent.flatMap { audioAgents[$0] }
        if let agent { audioAgents.forgetReplaced(before: agent.id) }
        let changed = audioSession.take(audio, agent: agent?.name ?? "")
        tree.propertiesChanged(at: .audio, Contract.audioSession, changed)
    }

    func announce(activeCall: CallID?) {
        root.activeCall = activeCall
        tree.propertiesChanged(at: .system, Contract.callSystem, ["ActiveCall"])
    }

    func announce(ringingCall: CallID?) {
        root.ringingCall = ringingCall
        tree.propertiesChanged(at: .system, Contract.callSystem, ["Ringing"])
    }

    func announce(suggestedResume: CallID?) {
        root.suggestedResume = suggestedResume
        tree.propertiesChanged(at: .system, Contract.callSystem, ["SuggestedResume"])
    }
}
