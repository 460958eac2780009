// The route of an audio session, which the desktop chooses.

internal import Synchronization

private let chosenInput = Mutex<AVAudioSessionPortDescription?>(nil)

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
    public var preferredInput: AVAudioSessionPortDescription? { chosenInput.withLock { $0 } }

    /// Chooses an input (AVFAudio). It is stored and has no effect.
    /// - Parameter inPort: one of `availableInputs`, or nil.
    /// - Throws: ``CXError`` `invalidArgument` for another port.
    public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
        if let inPort, availableInputs?.contains(inPort) != true {
            throw CXError(
                .invalidArgument, message: "the input is \(inPort.portName), expected one of availableInputs")
        }
        chosenInput.withLock { $0 = inPort }
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
