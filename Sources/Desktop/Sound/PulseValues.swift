// The values of libpulse's structs.

internal import CSound

extension ChannelVolumes {
    init(_ volume: pa_cvolume, _ map: pa_channel_map) {
        let count = Int(min(volume.channels, 32))
        values = withUnsafeBytes(of: volume.values) { Array($0.bindMemory(to: UInt32.self).prefix(count)) }
        positions = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(min(map.channels, 32))).map(\.rawValue)
        }
    }

    var raw: pa_cvolume {
        var volume = pa_cvolume()
        let count = min(values.count, 32)
        volume.channels = UInt8(count)
        withUnsafeMutableBytes(of: &volume.values) { bytes in
            let places = bytes.bindMemory(to: UInt32.self)
            for index in 0..<count { places[index] = min(values[index], PA_VOLUME_NORM_MAXIMUM) }
        }
        return volume
    }

    /// Louder than the loudest that libpulse allows is invalid.
    private var PA_VOLUME_NORM_MAXIMUM: UInt32 { UInt32.max / 2 }
}

extension pa_cvolume {
    /// Returns the channel map with these positions.
    func map(_ positions: [Int32]) -> pa_channel_map {
        var map = pa_channel_map()
        let count = min(positions.count, 32)
        map.channels = UInt8(count)
        withUnsafeMutableBytes(of: &map.map) { bytes in
            let places = bytes.bindMemory(to: pa_channel_position_t.self)
            for index in 0..<count { places[index] = pa_channel_position_t(positions[index]) }
        }
        return map
    }
}

extension PlaybackStream {
    init(_ info: pa_sink_input_info) {
        index = info.index
        name = String(optional: info.name) ?? ""
        sink = info.sink
        volume = ChannelVolumes(info.volume, info.channel_map)
        isMuted = info.mute != 0
        isCorked = info.corked != 0
        isVolumeWritable = info.has_volume != 0 && info.volume_writable != 0
        properties = propertiesOf(info.proplist)
    }
}

extension RecordingStream {
    init(_ info: pa_source_output_info) {
        index = info.index
        name = String(optional: info.name) ?? ""
        source = info.source
        properties = propertiesOf(info.proplist)
    }
}

extension SoundDevice {
    init(_ info: pa_sink_info) {
        index = info.index
        name = String(optional: info.name) ?? ""
        description = String(optional: info.description) ?? ""
        card = info.card == UInt32.max ? nil : info.card
        isMonitor = false
        volume = ChannelVolumes(info.volume, info.channel_map)
        isMuted = info.mute != 0
        ports = (0..<min(Int(info.n_ports), 64)).compactMap { index in
            info.ports?[index].map { port in
                DevicePort(port.pointee.name, port.pointee.description, port.pointee.available, port.pointee.priority)
            }
        }
        activePort = info.active_port.flatMap { String(optional: $0.pointee.name) }
        properties = propertiesOf(info.proplist)
    }

    init(_ info: pa_source_info) {
        index = info.index
        name = String(optional: info.name) ?? ""
        description = String(optional: info.description) ?? ""
        card = info.card == UInt32.max ? nil : info.card
        isMonitor = info.monitor_of_sink != UInt32.max
        volume = ChannelVolumes(info.volume, info.channel_map)
        isMuted = info.mute != 0
        ports = (0..<min(Int(info.n_ports), 64)).compactMap { index in
            info.ports?[index].map { port in
                DevicePort(port.pointee.name, port.pointee.description, port.pointee.available, port.pointee.priority)
            }
        }
        activePort = info.active_port.flatMap { String(optional: $0.pointee.name) }
        properties = propertiesOf(info.proplist)
    }
}

extension DevicePort {
    fileprivate init(
        _ name: UnsafePointer<CChar>?, _ description: UnsafePointer<CChar>?, _ available: Int32, _ priority: UInt32
    ) {
        self.name = String(optional: name) ?? ""
        self.description = String(optional: description) ?? ""
        isAvailable = UInt32(bitPattern: available) != PA_PORT_AVAILABLE_NO.rawValue
        self.priority = priority
    }
}

extension SoundCard {
    init(_ info: pa_card_info) {
        index = info.index
        name = String(optional: info.name) ?? ""
        profiles = (0..<min(Int(info.n_profiles), 64)).compactMap { index in
            info.profiles2?[index].map { profile in
                CardProfile(
                    name: String(optional: profile.pointee.name) ?? "",
                    description: String(optional: profile.pointee.description) ?? "",
                    isAvailable: profile.pointee.available != 0, priority: profile.pointee.priority)
            }
        }
        activeProfile = info.active_profile2.flatMap { String(optional: $0.pointee.name) }
        properties = propertiesOf(info.proplist)
    }
}

extension SoundServerFacts {
    init(_ info: pa_server_info) {
        name = String(optional: info.server_name) ?? ""
        version = String(optional: info.server_version) ?? ""
        defaultSink = String(optional: info.default_sink_name) ?? ""
        defaultSource = String(optional: info.default_source_name) ?? ""
    }
}

extension StreamMemory {
    init(_ info: pa_ext_stream_restore_info) {
        name = String(optional: info.name) ?? ""
        volume = ChannelVolumes(info.volume, info.channel_map)
        device = String(optional: info.device)
        isMuted = info.mute != 0
    }
}

extension String {
    /// Returns nil for a null pointer.
    init?(optional text: UnsafePointer<CChar>?) {
        guard let text else { return nil }
        self.init(cString: text)
    }
}

/// Returns the properties that are texts.
private func propertiesOf(_ list: OpaquePointer?) -> [String: String] {
    guard let list else { return [:] }
    var properties: [String: String] = [:]
    var state: UnsafeMutableRawPointer?
    while let key = pa_proplist_iterate(list, &state) {
        if let value = pa_proplist_gets(list, key) { properties[String(cString: key)] = String(cString: value) }
    }
    return properties
}
