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

/// The desktop chooses the devices of a call, as the user has set them. An app sees what it would see on an iPad to
/// which nothing is connected: one microphone and one loudspeaker, whatever these are.
extension AVAudioSession {
    /// The inputs and outputs of the category (AVFAudio). They do not change while calls go on.
    public var currentRoute: AVAudioSessionRouteDescription {
        let records = [.record, .playAndRecord, .multiRoute].contains(category)
        return AVAudioSessionRouteDescription(
            inputs: records && isInputAvailable ? [.microphone] : [], outputs: category == .record ? [] : [.speaker])
    }

    /// The inputs that the app can choose from (AVFAudio): the microphone, or none if recording is denied.
    public var availableInputs: [AVAudioSessionPortDescription]? { isInputAvailable ? [.microphone] : [] }

    /// Whether there is an input (AVFAudio): whether the app may record.
    public var isInputAvailable: Bool { Microphone.isReachable }

    /// The input that the app has chosen (AVFAudio); nil means that the system chooses.
    public var preferredInput: AVAudioSessionPortDescription? {
        preferredInputID == AVAudioSessionPortDescription.microphone.uid ? .microphone : nil
    }

    /// Chooses an input (AVFAudio). It is stored and has no effect.
    /// - Parameter inPort: one of `availableInputs`, or nil.
    /// - Throws: ``CXError`` `invalidArgument` for another port.
    public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        if let inPort, availableInputs?.contains(inPort) != true {
            throw CXError(
                .invalidArgument, message: "the input is \(inPort.portName), expected one of availableInputs")
        }
        preferredInputID = inPort?.uid
    }

    /// Sends the sound of a call to the loudspeaker, or where it goes by default (AVFAudio). On Linux both are the output
    /// of the desktop, hence it has no effect.
    /// - Throws: ``CXError`` `invalidArgument` for `speaker` in another category than `playAndRecord`, as on iOS.
    public func overrideOutputAudioPort(_ portOverride: PortOverride) throws {
        guard portOverride == .none || category == .playAndRecord else {
            throw CXError(
                .invalidArgument, message: "the category is \(category.rawValue), expected playAndRecord")
        }
    }

    /// Where the sound of a call goes (AVFAudio: `AVAudioSession.PortOverride`).
    public enum PortOverride: UInt, Sendable {
        /// Where it goes by default.
        case none = 0
        /// To the loudspeaker.
        case speaker = 0x7370_6B72
    }
}
