// SoundPlayer: one sound that is heard.

internal import CSound
package import EventLoop

/// How a sound is played.
package struct SoundUse: Sendable, Equatable {
    /// The role of the stream, such as `event` or `phone`: mixers and Do Not Disturb of desktops go by it.
    package var role: String
    /// The sound's name in themes, such as `phone-incoming-call`.
    package var event: String
    /// From 0 to 1.
    package var volume: Double
    /// Whether it begins anew at its end.
    package var loops = false
    /// The time in which it becomes as loud as `volume`; it begins at a quarter of that.
    package var ramp = Duration.zero

    package init(role: String, event: String, volume: Double = 1, loops: Bool = false, ramp: Duration = .zero) {
        self.role = role
        self.event = event
        self.volume = volume
        self.loops = loops
        self.ramp = ramp
    }
}

/// Plays a file or a tone on the default device, from its creation until its end, or until it is stopped or dropped.
@LoopActor
package final class SoundPlayer {
    /// Called once when the sound has ended by itself, or the server has ended it. Not after `stop()`.
    package var onEnd: (@LoopActor () -> Void)?

    private let source: any SampleSource
    private let use: SoundUse
    private var stream: OpaquePointer?
    /// The frames written, silence included.
    private var written = 0
    /// The frames of silence that a short sound is followed by before it begins anew.
    private var padding = 0
    /// The wait for the last samples to be heard.
    private var draining: OpaquePointer?

    /// A sound that loops begins anew after a second at the earliest, so that a broken file does not buzz.
    private static let shortestLoop = 1.0
    /// How much is sent ahead: as little as stops at once.
    private static let ahead = Duration.milliseconds(80)

    /// Plays a file.
    /// - Returns: nil if there is no sound server.
    package convenience init?(_ file: SoundFile, as use: SoundUse, on server: SoundServer) {
        self.init(source: file, use, server)
    }

    /// Plays a tone.
    /// - Returns: nil if there is no sound server.
    package convenience init?(_ tone: Tone, as use: SoundUse, on server: SoundServer) {
        var use = use
        use.loops = tone.isEndless
        self.init(source: ToneSource(tone), use, server)
    }

    private init?(source: any SampleSource, _ use: SoundUse, _ server: SoundServer) {
        guard server.isReady, let context = server.context else { return nil }
        self.source = source
        self.use = use
        var format = pa_sample_spec(
            format: PA_SAMPLE_FLOAT32LE, rate: UInt32(source.rate), channels: UInt8(source.channels))
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, use.role)
        pa_proplist_sets(properties, PA_PROP_EVENT_ID, use.event)
        guard let stream = pa_stream_new_with_proplist(context, use.event, &format, nil, properties) else {
            return nil
        }
        self.stream = stream
        connect(stream)
    }

    isolated deinit { stop() }

    /// Whether it is heard, or about to be.
    package var isPlaying: Bool { stream != nil }

    /// Ends the sound at once.
    package func stop() {
        guard let stream else { return }
        self.stream = nil
        if let draining {
            pa_operation_cancel(draining)
            pa_operation_unref(draining)
        }
        draining = nil
        pa_stream_set_write_callback(stream, nil, nil)
        if pa_stream_get_state(stream) == PA_STREAM_CREATING { return Self.disconnectOnceReady(stream) }
        pa_stream_set_state_callback(stream, nil, nil)
        if pa_stream_get_state(stream) == PA_STREAM_CREATING {
            Self.leaveOnceCreated(stream)
        } else {
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
    }

    /// Disconnects a stream that the server is about to create. Before that libpulse refuses, and the stream would stay.
    private static func leaveOnceCreated(_ stream: OpaquePointer) {
        pa_stream_set_state_callback(
            stream,
            { stream, _ in
                guard let stream, pa_stream_get_state(stream) != PA_STREAM_CREATING else { return }
                pa_stream_set_state_callback(stream, nil, nil)
                pa_stream_disconnect(stream)
                pa_stream_unref(stream)
            }, nil)
    }

    /// A stream that the server has not created yet cannot be disconnected, and would stay there.
    private static func disconnectOnceReady(_ stream: OpaquePointer) {
        pa_stream_set_state_callback(
            stream,
            { stream, _ in
                guard let stream, pa_stream_get_state(stream) != PA_STREAM_CREATING else { return }
                pa_stream_set_state_callback(stream, nil, nil)
                pa_stream_disconnect(stream)
                pa_stream_unref(stream)
            }, nil)
    }

    private func connect(_ stream: OpaquePointer) {
        let data = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(
            stream,
            { stream, data in
                let (stream, data) = (UInt(bitPattern: stream), UInt(bitPattern: data))
                LoopActor.assumeIsolated { SoundPlayer.at(data)?.stateChanged(of: stream) }
            }, data)
        pa_stream_set_write_callback(
            stream,
            { _, bytes, data in
                let data = UInt(bitPattern: data)
                LoopActor.assumeIsolated { SoundPlayer.at(data)?.write(bytes) }
            }, data)
        let frame = UInt32(MemoryLayout<Float>.size * source.channels)
        func bytes(_ duration: Duration) -> UInt32 { UInt32(source.rate * duration.milliseconds / 1_000) * frame }
        var buffer = pa_buffer_attr(
            maxlength: .max, tlength: bytes(Self.ahead), prebuf: 0, minreq: bytes(Self.ahead / 4), fragsize: .max)
        if pa_stream_connect_playback(stream, nil, &buffer, PA_STREAM_ADJUST_LATENCY, nil, nil) < 0 { endLater() }
    }

    private nonisolated static func at(_ address: UInt) -> SoundPlayer? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged<SoundPlayer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stateChanged(of address: UInt) {
        guard let stream, UInt(bitPattern: stream) == address else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_FAILED, PA_STREAM_TERMINATED: endLater()
        default: break
        }
    }

    /// Ends outside of callbacks of the stream itself.
    private func endLater() {
        Loop.shared.post { [weak self] in self?.end() }
    }

    private func end() {
        guard stream != nil else { return }
        stop()
        onEnd?()
    }

    // MARK: samples

    private func write(_ wanted: Int) {
        guard let stream, draining == nil else { return }
        var room = wanted / MemoryLayout<Float>.size / source.channels
        while room > 0 {
            var size = room * source.channels * MemoryLayout<Float>.size
            var memory: UnsafeMutableRawPointer?
            guard pa_stream_begin_write(stream, &memory, &size) == 0, let memory, size > 0 else { return endLater() }
            let samples = size / MemoryLayout<Float>.size / source.channels * source.channels
            let buffer = UnsafeMutableBufferPointer(
                start: memory.bindMemory(to: Float.self, capacity: samples), count: samples)
            let frames = fill(buffer)
            guard frames > 0 else {
                pa_stream_cancel_write(stream)
                return drain(stream)
            }
            let length = frames * source.channels * MemoryLayout<Float>.size
            guard pa_stream_write(stream, memory, length, nil, 0, PA_SEEK_RELATIVE) == 0 else { return endLater() }
            room -= frames
        }
    }

    /// Fills the buffer with the sound, at its volume.
    /// - Returns: the frames written; 0 at the end of the sound.
    private func fill(_ buffer: UnsafeMutableBufferPointer<Float>) -> Int {
        let wanted = buffer.count / source.channels
        if padding > 0 {
            let frames = min(padding, wanted)
            for index in 0..<(frames * source.channels) { buffer[index] = 0 }
            padding -= frames
            written += frames
            if padding == 0 { rewind() }
            return frames
        }
        let frames = source.read(into: buffer)
        for frame in 0..<frames {
            let gain = self.gain(of: frame)
            for channel in 0..<source.channels { buffer[frame * source.channels + channel] *= gain }
        }
        written += frames
        round += frames
        guard frames < wanted, use.loops else { return frames }
        padding = max(0, Int(Double(source.rate) * Self.shortestLoop) - round)
        if padding == 0 { rewind() }
        // A source that has nothing at all is silent for a while, then asked again.
        return frames > 0 ? frames : fill(buffer)
    }

    /// The frames of the sound since its last beginning.
    private var round = 0

    private func rewind() {
        source.rewind()
        round = 0
    }

    /// The frames in which it becomes as loud as `volume`.
    private lazy var ramp = Double(use.ramp.milliseconds * source.rate / 1_000)

    private func gain(of frame: Int) -> Float {
        let share = ramp > 0 ? min(1, 0.25 + 0.75 * Double(written + frame) / ramp) : 1
        return Float(share * min(1, max(0, use.volume)))
    }

    private func drain(_ stream: OpaquePointer) {
        let data = Unmanaged.passUnretained(self).toOpaque()
        draining = pa_stream_drain(
            stream,
            { _, _, data in
                let data = UInt(bitPattern: data)
                LoopActor.assumeIsolated { SoundPlayer.at(data)?.endLater() }
            }, data)
        if draining == nil { endLater() }
    }
}
