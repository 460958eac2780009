// The inputs and outputs of an audio session.

/// The inputs and outputs in use (AVFAudio: AVAudioSessionRouteDescription).
public final class AVAudioSessionRouteDescription: Hashable, Sendable {
    /// The inputs in use.
    public let inputs: [AVAudioSessionPortDescription]
    /// The outputs in use.
    public let outputs: [AVAudioSessionPortDescription]

    init(inputs: [AVAudioSessionPortDescription], outputs: [AVAudioSessionPortDescription]) {
        self.inputs = inputs
        self.outputs = outputs
    }

    public static func == (one: AVAudioSessionRouteDescription, other: AVAudioSessionRouteDescription) -> Bool {
        one.inputs == other.inputs && one.outputs == other.outputs
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(inputs)
        hasher.combine(outputs)
    }
}

/// An input or output (AVFAudio: AVAudioSessionPortDescription).
public final class AVAudioSessionPortDescription: Hashable, Sendable {
    /// The kind of the input or output.
    public let portType: AVAudioSession.Port
    /// The name to show.
    public let portName: String
    /// The identifier.
    public let uid: String

    static let microphone = AVAudioSessionPortDescription(.builtInMic, "Microphone")
    static let speaker = AVAudioSessionPortDescription(.builtInSpeaker, "Speaker")

    private init(_ type: AVAudioSession.Port, _ name: String) {
        portType = type
        portName = name
        uid = type.rawValue
    }

    public static func == (one: AVAudioSessionPortDescription, other: AVAudioSessionPortDescription) -> Bool {
        one.uid == other.uid
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(uid) }
}

extension AVAudioSession {
    /// The kind of an input or output (AVFAudio: `AVAudioSession.Port`, with its raw values). On Linux all routes consist
    /// of `builtInMic` and `builtInSpeaker`.
    public struct Port: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The microphone of the device.
        public static let builtInMic = Port(rawValue: "MicrophoneBuiltIn")
        /// The microphone of a wired headset.
        public static let headsetMic = Port(rawValue: "MicrophoneWired")
        /// A line input.
        public static let lineIn = Port(rawValue: "LineIn")
        /// The loudspeaker of the device.
        public static let builtInSpeaker = Port(rawValue: "Speaker")
        /// The loudspeaker that is held to the ear.
        public static let builtInReceiver = Port(rawValue: "Receiver")
        /// Headphones with a wire.
        public static let headphones = Port(rawValue: "Headphones")
        /// A line output.
        public static let lineOut = Port(rawValue: "LineOut")
        /// A Bluetooth stereo device.
        public static let bluetoothA2DP = Port(rawValue: "BluetoothA2DPOutput")
        /// A Bluetooth hands-free device.
        public static let bluetoothHFP = Port(rawValue: "BluetoothHFP")
        /// A Bluetooth LE device.
        public static let bluetoothLE = Port(rawValue: "BluetoothLE")
        /// An AirPlay device.
        public static let airPlay = Port(rawValue: "AirPlay")
        /// An HDMI output.
        public static let HDMI = Port(rawValue: "HDMIOutput")
        /// A USB device.
        public static let usbAudio = Port(rawValue: "USBAudio")
        /// A car.
        public static let carAudio = Port(rawValue: "CarAudio")
    }
}
