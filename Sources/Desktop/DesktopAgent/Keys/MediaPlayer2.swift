// MediaPlayer2: calls as a player of MPRIS.

import DBus
import EventLoop

/// The interfaces of MPRIS 2.2. The player has one track, cannot seek, and does nothing with what is not a key.
enum MediaPlayer2 {
    static let root = Interface<MediaKeys>("org.mpris.MediaPlayer2") {
        Method("Raise") { (_: MediaKeys, _) in }
        Method("Quit") { (_: MediaKeys, _) in }
        Property("CanQuit", changes: .constant) { _ in false }
        Property("CanRaise", changes: .constant) { _ in false }
        Property("HasTrackList", changes: .constant) { _ in false }
        Property("Identity", changes: .constant) { _ in PhoneApplication.displayName }
        Property("DesktopEntry", changes: .constant) { _ in PhoneApplication.busName }
        Property("SupportedUriSchemes", changes: .constant) { _ in [String]() }
        Property("SupportedMimeTypes", changes: .constant) { _ in [String]() }
    }

    static let player = Interface<MediaKeys>("org.mpris.MediaPlayer2.Player") {
        Method("Next") { (_: MediaKeys, _) in }
        Method("Previous") { (_: MediaKeys, _) in }
        DeferredMethod("Pause") { (keys: MediaKeys, invocation: VoidInvocation) in keys.press(.pause, invocation) }
        DeferredMethod("PlayPause") { (keys: MediaKeys, invocation: VoidInvocation) in keys.press(.play, invocation) }
        DeferredMethod("Stop") { (keys: MediaKeys, invocation: VoidInvocation) in keys.press(.stop, invocation) }
        DeferredMethod("Play") { (keys: MediaKeys, invocation: VoidInvocation) in
            // A program that lets players go on does not mean a call that goes on.
            keys.meaning == .hangUp ? invocation.reply() : keys.press(.play, invocation)
        }
        Method("Seek", in: ["Offset"]) { (_: MediaKeys, _, _: Int64) in }
        Method("SetPosition", in: ["TrackId", "Position"]) { (_: MediaKeys, _, _: ObjectPath, _: Int64) in }
        Method("OpenUri", in: ["Uri"]) { (_: MediaKeys, _, _: String) in }
        Property("PlaybackStatus") { $0.meaning == .nothing ? "Stopped" : "Playing" }
        Property("Rate") { _ in 1.0 }
        Property("Metadata") { $0.metadata }
        Property("Volume") { _ in 1.0 }
        Property("Position", changes: .silent) { _ in Int64(0) }
        Property("MinimumRate") { _ in 1.0 }
        Property("MaximumRate") { _ in 1.0 }
        Property("CanGoNext") { _ in false }
        Property("CanGoPrevious") { _ in false }
        Property("CanPlay") { _ in true }
        Property("CanPause") { _ in true }
        Property("CanSeek") { _ in false }
        Property("CanControl", changes: .constant) { _ in true }
    }
}

extension MediaKeys {
    /// What every client of the bus may know: that a call rings or goes on.
    fileprivate var metadata: VariantDictionary {
        switch meaning {
        case .nothing: [:]
        case .answer: Self.track("Incoming call")
        case .hangUp: Self.track("Call")
        }
    }

    private static func track(_ title: String) -> VariantDictionary {
        ["mpris:trackid": .objectPath("/org/opencallkit/Call"), "xesam:title": .string(title)]
    }
}
