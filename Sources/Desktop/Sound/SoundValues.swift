// What a sound server has: streams, devices, ports and cards, as plain values.

internal import Glibc

/// The loudness of each channel, and where the channels are, as libpulse counts them: 65,536 is 100 %.
package struct ChannelVolumes: Sendable, Equatable {
    package static let norm: UInt32 = 65_536

    package var values: [UInt32]
    /// The places of the channels, such as front-left, as numbers of libpulse.
    package var positions: [Int32]

    package init(values: [UInt32], positions: [Int32]) {
        self.values = values
        self.positions = positions
    }

    /// Returns these volumes with the sound's amplitude multiplied by a factor from 0 to 1. Volumes are cubic.
    package func scaled(by factor: Double) -> ChannelVolumes {
        let cubic = cbrt(min(1, max(0, factor)))
        return ChannelVolumes(values: values.map { UInt32((Double($0) * cubic).rounded()) }, positions: positions)
    }
}

/// A stream that plays: a sink input.
package struct PlaybackStream: Sendable, Equatable {
    package let index: UInt32
    package let name: String
    /// The index of the sink that it plays on.
    package let sink: UInt32
    package let volume: ChannelVolumes
    package let isMuted: Bool
    /// Whether it is paused.
    package let isCorked: Bool
    /// Whether its volume can be set.
    package let isVolumeWritable: Bool
    /// Such as `media.role` and `application.process.id`.
    package let properties: [String: String]
}

/// A stream that records: a source output.
package struct RecordingStream: Sendable, Equatable {
    package let index: UInt32
    package let name: String
    /// The index of the source that it records from.
    package let source: UInt32
    package let properties: [String: String]
}

/// A sink or a source.
package struct SoundDevice: Sendable, Equatable {
    package let index: UInt32
    package let name: String
    package let description: String
    /// The index of its card; nil if it has none.
    package let card: UInt32?
    /// Whether this is a source that hears what a sink plays.
    package let isMonitor: Bool
    package let volume: ChannelVolumes
    package let isMuted: Bool
    package let ports: [DevicePort]
    /// The name of the port in use; nil if it has none.
    package let activePort: String?
    package let properties: [String: String]
}

/// A plug or a built-in part of a device, such as a speaker.
package struct DevicePort: Sendable, Equatable {
    package let name: String
    package let description: String
    /// False if nothing is plugged in; true if something is, or nobody knows.
    package let isAvailable: Bool
    package let priority: UInt32
}

package struct SoundCard: Sendable, Equatable {
    package let index: UInt32
    package let name: String
    package let profiles: [CardProfile]
    package let activeProfile: String?
    package let properties: [String: String]
}

package struct CardProfile: Sendable, Equatable {
    package let name: String
    package let description: String
    package let isAvailable: Bool
    package let priority: UInt32
}

/// The sound server itself.
package struct SoundServerFacts: Sendable, Equatable {
    /// Such as `pulseaudio`, or `PulseAudio (on PipeWire 0.3.65)`.
    package let name: String
    package let version: String
    /// The names of the devices for streams that ask for none.
    package let defaultSink: String
    package let defaultSource: String
}

/// What the server remembers of an application's streams, for its next one.
package struct StreamMemory: Sendable, Equatable {
    /// Such as `sink-input-by-application-name:mpv`.
    package let name: String
    package var volume: ChannelVolumes
    package let device: String?
    package let isMuted: Bool

    package init(name: String, volume: ChannelVolumes, device: String?, isMuted: Bool) {
        self.name = name
        self.volume = volume
        self.device = device
        self.isMuted = isMuted
    }
}

/// Something that has changed at the server.
package struct SoundEvent: Sendable, Equatable {
    package enum Subject: Sendable {
        case sink, source, playback, recording, card, server
    }
    package enum Change: Sendable {
        case new, changed, removed
    }

    package let subject: Subject
    package let change: Change
    /// The index of the object; meaningless for the server.
    package let index: UInt32
}

/// Why the sound server has not done something.
package enum SoundError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no sound server, or it has gone.
    case unavailable
    /// It refused, with libpulse's words.
    case refused(String)

    package var description: String {
        switch self {
        case .unavailable: "there is no sound server"
        case .refused(let words): "the sound server refuses: \(words)"
        }
    }
}
