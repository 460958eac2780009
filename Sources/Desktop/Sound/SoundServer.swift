// SoundServer: the connection to the sound server of the session.

internal import CSound
package import EventLoop

/// The sound server, PulseAudio or PipeWire, over libpulse on our loop. Connects when it is there, and again when it
/// returns.
@LoopActor
package final class SoundServer {
    package init() {}
}
