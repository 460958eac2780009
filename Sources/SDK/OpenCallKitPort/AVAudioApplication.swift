// The permission to record.

extension AVAudioSession {
    /// Whether the app may record (AVFAudio: `AVAudioSession.RecordPermission`, with its raw values).
    public enum RecordPermission: UInt, Sendable {
        /// The user has not decided. It does not occur on Linux.
        case undetermined = 0x756E_6474
        /// The app may not record.
        case denied = 0x6465_6E79
        /// The app may record.
        case granted = 0x6772_6E74
    }

    /// Whether the app may record (AVFAudio). It works on Linux: `granted` if the process can reach the socket of PipeWire
    /// or PulseAudio, or a device of ALSA that records; otherwise `denied`, as in a sandbox without audio.
    public var recordPermission: RecordPermission { Microphone.isReachable ? .granted : .denied }

    /// Reports whether the app may record (AVFAudio). The user is not asked.
    /// - Parameter response: called on the main queue with the answer of `recordPermission`.
    public func requestRecordPermission(_ response: @escaping (Bool) -> Void) {
        AVAudioApplication.requestRecordPermission(completionHandler: response)
    }
}

/// The audio of the app (AVFAudio: AVAudioApplication), as far as calls need it.
public final class AVAudioApplication: Sendable {
    /// Whether the app may record (AVFAudio: `AVAudioApplication.recordPermission`, with its raw values).
    public enum recordPermission: Int, Sendable {
        /// The user has not decided. It does not occur on Linux.
        case undetermined = 0x756E_6474
        /// The app may not record.
        case denied = 0x6465_6E79
        /// The app may record.
        case granted = 0x6772_6E74
    }

    /// The app's own audio.
    public static let shared = AVAudioApplication()

    private init() {}

    /// Whether the app may record: `granted` if the process can reach the socket of PipeWire or PulseAudio, or a device
    /// of ALSA that records; otherwise `denied`.
    public var recordPermission: recordPermission { Microphone.isReachable ? .granted : .denied }

    /// Reports whether the app may record. The user is not asked.
    /// - Parameter response: called on the main queue with the answer of `recordPermission`.
    public static func requestRecordPermission(completionHandler response: @escaping (Bool) -> Void) {
        let response = Confined(response)
        DispatchQueue.main.async { response.value(Microphone.isReachable) }
    }

    /// Reports whether the app may record. The user is not asked.
    public static func requestRecordPermission() async -> Bool { Microphone.isReachable }
}
