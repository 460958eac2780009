// Reads what the server has.

internal import CSound
import EventLoop

extension SoundServer {
    /// The streams that play.
    package func playbackStreams() async throws(SoundError) -> [PlaybackStream] {
        let request = PulseListRequest { PlaybackStream($0 as pa_sink_input_info) }
        try await perform(request) { context, data in
            pa_context_get_sink_input_info_list(context, { PulseRequest.listed($1, $2, $3) }, data)
        }
        return request.values
    }

    /// The streams that record.
    package func recordingStreams() async throws(SoundError) -> [RecordingStream] {
        let request = PulseListRequest { RecordingStream($0 as pa_source_output_info) }
        try await perform(request) { context, data in
            pa_context_get_source_output_info_list(context, { PulseRequest.listed($1, $2, $3) }, data)
        }
        return request.values
    }

    package func sinks() async throws(SoundError) -> [SoundDevice] {
        let request = PulseListRequest { SoundDevice($0 as pa_sink_info) }
        try await perform(request) { context, data in
            pa_context_get_sink_info_list(context, { PulseRequest.listed($1, $2, $3) }, data)
        }
        return request.values
    }

    package func sources() async throws(SoundError) -> [SoundDevice] {
        let request = PulseListRequest { SoundDevice($0 as pa_source_info) }
        try await perform(request) { context, data in
            pa_context_get_source_info_list(context, { PulseRequest.listed($1, $2, $3) }, data)
        }
        return request.values
    }

    package func cards() async throws(SoundError) -> [SoundCard] {
        let request = PulseListRequest { SoundCard($0 as pa_card_info) }
        try await perform(request) { context, data in
            pa_context_get_card_info_list(context, { PulseRequest.listed($1, $2, $3) }, data)
        }
        return request.values
    }

    /// What the server remembers of applications' streams.
    package func streamMemories() async throws(SoundError) -> [StreamMemory] {
        let request = PulseListRequest { StreamMemory($0 as pa_ext_stream_restore_info) }
        try await perform(request) { context, data in
            pa_ext_stream_restore_read(context, { PulseRequest.listed($1, $2, $3) }, data)
        }
        return request.values
    }

    package func serverFacts() async throws(SoundError) -> SoundServerFacts {
        let request = PulseListRequest { SoundServerFacts($0 as pa_server_info) }
        try await perform(request) { context, data in
            pa_context_get_server_info(
                context,
                { _, info, data in
                    if let info { PulseRequest.listed(info, 0, data) }
                    PulseRequest.listed(nil, info == nil ? -1 : 1, data)
                }, data)
        }
        guard let facts = request.values.first else { throw .refused("it does not say what it is") }
        return facts
    }
}
