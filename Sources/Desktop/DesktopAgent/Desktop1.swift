// Desktop1: the agent's own interface.

import CallModel
import DBus
import EventLoop

/// The object behind org.opencallkit.Desktop1.
@LoopActor
final class DesktopObject {
    private let settings: DesktopSettings
    private let ringer: Ringer
    private let parts: [any DesktopPart]

    /// Exports the object in the context's tree.
    init(_ context: DesktopContext, _ ringer: Ringer, _ parts: [any DesktopPart]) {
        settings = context.settings
        self.ringer = ringer
        self.parts = parts
        let (tree, path) = (context.objects, ObjectPath(Contract.desktopPath) ?? .root)
        tree.export(self, at: path, Self.interface)
        ringer.onRingingChanged = { [weak tree] in
            tree?.propertiesChanged(at: path, Contract.desktop, ["Ringing"])
        }
        var (volume, tones) = (settings.values.ringVolume, settings.values.ringtones)
        settings.observe { [weak tree, settings] in
            let now = settings.values
            var names = now.ringVolume == volume ? [] : ["RingVolume"]
            if now.ringtones != tones { names.append("Ringtones") }
            (volume, tones) = (now.ringVolume, now.ringtones)
            if !names.isEmpty { tree?.propertiesChanged(at: path, Contract.desktop, names) }
        }
    }

    /// The most ringtones that are kept.
    private static let maximumRingtones = 1_000

    static let interface = Interface<DesktopObject>(Contract.desktop) {
        Method("TestRing", in: ["provider_id"]) { (desktop: DesktopObject, _, id: String) throws(DBusError) in
            try desktop.ringer.beginTest(of: id)
        }
        Method("StopRinging") { (desktop: DesktopObject, _) in desktop.ringer.endTest() }
        Method("PlayKey", in: ["key"]) { (desktop: DesktopObject, _, key: String) throws(DBusError) in
            try desktop.ringer.playKey(key)
        }
        Property("Ringing") { $0.ringer.isRinging }
        Property("RingVolume") {
            $0.settings.values.ringVolume
        } set: { desktop, _, volume throws(DBusError) in
            try desktop.setVolume(volume)
        }
        Property("Ringtones", changes: .invalidates) {
            $0.settings.values.ringtones
        } set: { desktop, _, tones throws(DBusError) in
            try desktop.setRingtones(tones)
        }
        Property("Parts", changes: .silent) { $0.parts.map(\.wire) }
    }

    private func setVolume(_ volume: Double) throws(DBusError) {
        guard (0...1).contains(volume) else {
            throw DBusError(DBusError.Name.invalidArgs, "RingVolume: expected 0 to 1")
        }
        try change { $0.ringVolume = (volume * 100).rounded() / 100 }
    }

    private func setRingtones(_ tones: [String: String]) throws(DBusError) {
        guard tones.count <= Self.maximumRingtones else {
            throw DBusError(DBusError.Name.limitsExceeded, "Ringtones: expected at most \(Self.maximumRingtones)")
        }
        for (name, path) in tones {
            if let complaint = DesktopSettings.Values.complaint(ofRingtoneName: name) {
                throw DBusError(DBusError.Name.invalidArgs, "Ringtones: \(complaint)")
            }
            guard path.hasPrefix("/"), !path.contains(where: \.isNewline), path.utf8.count < 4_096 else {
                throw DBusError(DBusError.Name.invalidArgs, "Ringtones: expected absolute paths")
            }
        }
        try change { $0.ringtones = tones }
    }

    private func change(_ body: (inout DesktopSettings.Values) -> Void) throws(DBusError) {
        do throws(SystemError) {
            try settings.change(body)
        } catch {
            throw settings.unavailable(error)
        }
    }
}

extension DesktopPart {
    fileprivate var wire: VariantDictionary {
        let status = status
        return ["name": .string(name), "ready": .bool(status.isReady), "text": .string(status.text)]
    }
}
