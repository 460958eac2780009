// Changes what the server has.

internal import CSound
import EventLoop

extension SoundServer {
    package func setVolume(_ volume: ChannelVolumes, ofPlayback index: UInt32) async throws(SoundError) {
        var raw = volume.raw
        try await change { context, data in
            pa_context_set_sink_input_volume(context, index, &raw, { PulseRequest.changed($1, $2) }, data)
        }
    }

    package func setMuted(_ isMuted: Bool, ofPlayback index: UInt32) async throws(SoundError) {
        try await change { context, data in
            pa_context_set_sink_input_mute(context, index, isMuted ? 1 : 0, { PulseRequest.changed($1, $2) }, data)
        }
    }

    /// Moves a stream that plays to a sink.
    package func movePlayback(_ index: UInt32, to sink: UInt32) async throws(SoundError) {
        try await change { context, data in
            pa_context_move_sink_input_by_index(context, index, sink, { PulseRequest.changed($1, $2) }, data)
        }
    }

    /// Moves a stream that records to a source.
    package func moveRecording(_ index: UInt32, to source: UInt32) async throws(SoundError) {
        try await change { context, data in
            pa_context_move_source_output_by_index(context, index, source, { PulseRequest.changed($1, $2) }, data)
        }
    }

    package func setDefaultSink(_ name: String) async throws(SoundError) {
        try await change { context, data in
            pa_context_set_default_sink(context, name, { PulseRequest.changed($1, $2) }, data)
        }
    }

    package func setDefaultSource(_ name: String) async throws(SoundError) {
        try await change { context, data in
            pa_context_set_default_source(context, name, { PulseRequest.changed($1, $2) }, data)
        }
    }

    package func setPort(_ port: String, ofSink name: String) async throws(SoundError) {
        try await change { context, data in
            pa_context_set_sink_port_by_name(context, name, port, { PulseRequest.changed($1, $2) }, data)
        }
    }

    package func setPort(_ port: String, ofSource name: String) async throws(SoundError) {
        try await change { context, data in
            pa_context_set_source_port_by_name(context, name, port, { PulseRequest.changed($1, $2) }, data)
        }
    }

    package func setProfile(_ profile: String, ofCard name: String) async throws(SoundError) {
        try await change { context, data in
            pa_context_set_card_profile_by_name(context, name, profile, { PulseRequest.changed($1, $2) }, data)
        }
    }

    /// Corrects what the server remembers for an application's next stream; streams that play now follow it too.
    package func remember(_ memory: StreamMemory) async throws(SoundError) {
        try await change { context, data in
            memory.name.withCString { name in
                (memory.device ?? "").withCString { device in
                    let raw = memory.volume.raw
                    var info = pa_ext_stream_restore_info(
                        name: name, channel_map: raw.map(memory.volume.positions), volume: raw,
                        device: memory.device == nil ? nil : device, mute: memory.isMuted ? 1 : 0)
                    return pa_ext_stream_restore_write(
                        context, PA_UPDATE_REPLACE, &info, 1, 1, { PulseRequest.changed($1, $2) }, data)
                }
            }
        }
    }

    func subscribe() async throws(SoundError) {
        let all =
            PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
            | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue | PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT.rawValue
            | PA_SUBSCRIPTION_MASK_CARD.rawValue | PA_SUBSCRIPTION_MASK_SERVER.rawValue
        try await change { context, data in
            pa_context_subscribe(context, pa_subscription_mask_t(all), { PulseRequest.changed($1, $2) }, data)
        }
    }

    private func change(
        _ start: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) async throws(SoundError) {
        try await perform(PulseRequest(), start)
    }
}
