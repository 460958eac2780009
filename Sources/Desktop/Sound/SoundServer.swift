// SoundServer: the connection to the sound server of the session.

internal import CSound
package import EventLoop
internal import Files
internal import Glibc

/// What happens to the connection.
package enum SoundServerChange: Sendable, Equatable {
    case ready(SoundServerFacts)
    /// The server has gone. Streams and requests have ended.
    case lost
    case event(SoundEvent)
}

/// The sound server, PulseAudio or PipeWire, over libpulse on our loop. Connects when it is there, and again when it
/// returns; without a server it costs nothing.
@LoopActor
package final class SoundServer {
    /// Nil while there is no server.
    package private(set) var facts: SoundServerFacts?
    /// The connection; nil while there is none.
    private(set) var context: OpaquePointer?

    private let applicationName: String
    private let socket: String?
    private var isRunning = false
    private var observers: [@LoopActor (SoundServerChange) -> Void] = []
    private var requests: [ObjectIdentifier: PulseRequest] = [:]
    private var attempts = 0
    /// Open once it is known whether there is a server.
    private let decision = Gate()
    private var retry: LoopTimer?
    /// Watches for the server's socket, or for the folder that it will be in.
    private var watch: DirectoryWatch?

    /// Attempts after a sign of a server, 50 ms after the first and then twice as long each time.
    private static let maximumAttempts = 7

    /// - Parameters:
    ///   - applicationName: what mixers show.
    ///   - environment: with the server's address in `PULSE_SERVER`, or its folder in `XDG_RUNTIME_DIR`.
    package init(
        applicationName: String = "Phone", environment: [String: String] = ProcessEnvironment.current
    ) {
        self.applicationName = applicationName
        if let address = environment["PULSE_SERVER"], !address.isEmpty {
            let path = address.hasPrefix("unix:") ? String(address.dropFirst(5)) : address
            socket = path.hasPrefix("/") ? path : nil
        } else {
            socket = environment["XDG_RUNTIME_DIR"].map { "\($0)/pulse/native" }
        }
    }

    /// Adds an observer, for as long as the server object lives.
    package func observe(_ observer: @escaping @LoopActor (SoundServerChange) -> Void) { observers.append(observer) }

    package var isReady: Bool { facts != nil }

    package func start() {
        guard !isRunning else { return }
        isRunning = true
        tryNow()
    }

    package func stop() {
        isRunning = false
        watch = nil
        disconnect()
    }

    /// Returns once the first attempt to connect has succeeded or failed.
    package func settle() async { await decision.pass() }

    /// Tries to connect now, if there is no connection: something is to be heard.
    package func wake() {
        guard isRunning, context == nil, retry == nil else { return }
        tryNow()
    }

    // MARK: connecting

    private func tryNow() {
        attempts = 0
        connect()
    }

    private func connect() {
        retry = nil
        guard isRunning, context == nil else { return }
        let properties = pa_proplist_new()
        pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, applicationName)
        pa_proplist_sets(properties, PA_PROP_APPLICATION_ID, "org.opencallkit.Phone")
        pa_proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, "org.opencallkit.Phone")
        defer { pa_proplist_free(properties) }
        guard let context = pa_context_new_with_proplist(PulseLoop.api, applicationName, properties) else { return }
        self.context = context
        let address = UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque())
        let data = UnsafeMutableRawPointer(bitPattern: address)
        pa_context_set_state_callback(
            context,
            { context, data in
                let (context, data) = (UInt(bitPattern: context), UInt(bitPattern: data))
                LoopActor.assumeIsolated { SoundServer.at(data)?.stateChanged(of: context) }
            }, data)
        pa_context_set_subscribe_callback(
            context,
            { _, type, index, data in
                let data = UInt(bitPattern: data)
                LoopActor.assumeIsolated { SoundServer.at(data)?.happened(type.rawValue, index) }
            }, data)
        // A server that is started on demand listens already; nothing is spawned.
        if pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil) < 0 { fail() }
    }

    private nonisolated static func at(_ address: UInt) -> SoundServer? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged<SoundServer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stateChanged(of address: UInt) {
        guard let context, UInt(bitPattern: context) == address else { return }
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY: greet()
        // Not from within its own callback.
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED: Loop.shared.post { [weak self] in self?.fail(address) }
        default: break
        }
    }

    private func greet() {
        Task {
            do throws(SoundError) {
                try await subscribe()
                let facts = try await serverFacts()
                guard self.facts == nil else { return }
                attempts = 0
                self.facts = facts
                tell(.ready(facts))
                decision.open()
            } catch {
                // The context has failed, which is handled where that is told.
            }
        }
    }

    private func fail(_ address: UInt) {
        guard let context, UInt(bitPattern: context) == address else { return }
        fail()
    }

    private func fail() {
        disconnect()
        decision.open()
        guard isRunning else { return }
        follow()
        guard attempts < Self.maximumAttempts else { return }
        attempts += 1
        retry = LoopTimer(after: .milliseconds(25 << attempts)) { [weak self] in self?.connect() }
    }

    private func disconnect() {
        retry = nil
        guard let context else { return }
        self.context = nil
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        pa_context_disconnect(context)
        pa_context_unref(context)
        let (failed, wasReady) = (requests.values, isReady)
        requests = [:]
        facts = nil
        for request in failed { request.end(with: .unavailable) }
        if wasReady { tell(.lost) }
    }

    /// Watches for the socket of a server that starts, or for the nearest folder above it that exists.
    private func follow() {
        guard watch == nil, let socket else { return }
        var child = socket
        while let slash = child.lastIndex(of: "/"), slash != child.startIndex {
            let (folder, name) = (String(child[..<slash]), String(child[child.index(after: slash)...]))
            watch = try? DirectoryWatch(folder) { [weak self] event, entry in
                guard event == .appeared && entry == name || event == .folderGone else { return }
                self?.watch = nil
                self?.appeared()
            }
            if watch != nil { return }
            child = folder
        }
    }

    private func appeared() {
        guard isRunning, context == nil else { return }
        retry = nil
        tryNow()
    }

    // MARK: telling

    private func tell(_ change: SoundServerChange) {
        for observer in observers { observer(change) }
    }

    private func happened(_ type: UInt32, _ index: UInt32) {
        guard isReady, let event = SoundEvent(type: type, index: index) else { return }
        tell(.event(event))
    }

    // MARK: requests

    /// Starts an operation of libpulse and waits for its end.
    ///
    /// - Parameter start: starts it with the address of the request as user data; returns nil if libpulse refuses.
    private func perform(
        _ request: PulseRequest, _ start: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) async throws(SoundError) {
        guard let context else { throw .unavailable }
        let id = ObjectIdentifier(request)
        requests[id] = request
        guard let operation = start(context, Unmanaged.passUnretained(request).toOpaque()) else {
            requests[id] = nil
            throw .refused(String(cString: pa_strerror(pa_context_errno(context))))
        }
        pa_operation_unref(operation)
        let error = await request.outcome()
        requests[id] = nil
        if let error { throw error }
    }

    /// The words for the connection's last error.
    var lastError: String { context.map { String(cString: pa_strerror(pa_context_errno($0))) } ?? "no connection" }
}

extension SoundEvent {
    /// Reads an event as libpulse numbers it.
    init?(type: UInt32, index: UInt32) {
        switch type & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue {
        case PA_SUBSCRIPTION_EVENT_SINK.rawValue: subject = .sink
        case PA_SUBSCRIPTION_EVENT_SOURCE.rawValue: subject = .source
        case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue: subject = .playback
        case PA_SUBSCRIPTION_EVENT_SOURCE_OUTPUT.rawValue: subject = .recording
        case PA_SUBSCRIPTION_EVENT_CARD.rawValue: subject = .card
        case PA_SUBSCRIPTION_EVENT_SERVER.rawValue: subject = .server
        default: return nil
        }
        switch type & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue {
        case PA_SUBSCRIPTION_EVENT_NEW.rawValue: change = .new
        case PA_SUBSCRIPTION_EVENT_REMOVE.rawValue: change = .removed
        default: change = .changed
        }
        self.index = index
    }
}

// MARK: reading what the server has

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

// MARK: changing what the server has

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

    private func subscribe() async throws(SoundError) {
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
