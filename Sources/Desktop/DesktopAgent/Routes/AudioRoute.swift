// AudioRoute: an output and the microphone that belongs to it.

import Sound

/// Where a call can be heard.
struct AudioRoute: Sendable, Equatable {
    /// What kind of device it is; its raw value is the word on the bus.
    enum Kind: String, Sendable, CaseIterable {
        case speaker, earpiece, headphones, headset, bluetooth, hdmi, other

        /// Whether a device of this kind is used as soon as it appears: whoever puts it on wants to hear with it.
        var isWorn: Bool { self == .headphones || self == .headset || self == .bluetooth }
    }

    let id: String
    let name: String
    let kind: Kind
    let isAvailable: Bool
    /// The sound server's names of the output and its port.
    let sink: String
    let port: String?
    /// The index of the sink.
    let sinkIndex: UInt32
    /// The index of the microphone of the same card; nil if it has none.
    let sourceIndex: UInt32?

    /// Returns the routes of these devices, by name.
    static func routes(sinks: [SoundDevice], sources: [SoundDevice]) -> [AudioRoute] {
        sinks.flatMap { sink -> [AudioRoute] in
            let source = sources.first { !$0.isMonitor && $0.card != nil && $0.card == sink.card }
            let ports: [DevicePort?] = sink.ports.isEmpty ? [nil] : sink.ports
            return ports.map { port in
                AudioRoute(
                    id: port.map { "\(sink.name)/\($0.name)" } ?? sink.name,
                    name: (port.map {
                        sink.ports.count > 1 ? "\($0.description), \(sink.description)" : sink.description
                    }
                        ?? sink.description), kind: Kind(of: sink, port), isAvailable: port?.isAvailable ?? true,
                    sink: sink.name, port: port?.name, sinkIndex: sink.index, sourceIndex: source?.index)
            }
        }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }
}

extension AudioRoute.Kind {
    /// Guesses the kind from what the sound server says of a device and its port.
    init(of sink: SoundDevice, _ port: DevicePort?) {
        let words = (port?.name ?? "").lowercased()
        let form = sink.properties["device.form_factor"] ?? ""
        if sink.properties["device.bus"] == "bluetooth" || sink.properties["device.api"]?.hasPrefix("bluez") == true {
            self = .bluetooth
        } else if words.contains("headset") || form == "headset" || form == "hands-free" {
            self = .headset
        } else if words.contains("headphone") || form == "headphone" {
            self = .headphones
        } else if words.contains("earpiece") || form == "handset" {
            self = .earpiece
        } else if words.contains("hdmi") || words.contains("displayport") || form == "tv" {
            self = .hdmi
        } else if words.contains("speaker") || form == "speaker" || form == "internal" {
            self = .speaker
        } else {
            self = .other
        }
    }
}
