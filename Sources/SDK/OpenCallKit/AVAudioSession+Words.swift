// The categories, modes and options of an audio session.

extension AVAudioSession {
    /// What the app uses audio for (AVFAudio: `AVAudioSession.Category`). It is stored and has no effect by itself.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sound that the app can do without, mixed with the sound of other apps.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Sound that the app can do without, silencing the sound of other apps. The default.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Playback of sound.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Recording of sound.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Playback and recording at the same time, as in calls.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Several devices at the same time.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
    }

    /// The kind of audio within a category (AVFAudio: `AVAudioSession.Mode`).
    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No particular kind. The default.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Voice calls.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// Video calls.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// Voice chat in a game.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// Sound with as little processing as possible.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// Films.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// Continuous speech, such as audiobooks.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// The sound of a video recording.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// Short announcements, such as directions.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
    }

    /// The options of a category (AVFAudio: `AVAudioSession.CategoryOptions`, with its raw values).
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Other apps may continue to play.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Other apps may continue to play at a lower volume.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Bluetooth hands-free devices may be used. The older name of `allowBluetoothHFP`.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// Bluetooth hands-free devices may be used.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The loudspeaker is used unless another device is connected.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Apps that play speech pause, and others continue to play.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Bluetooth stereo devices may be used.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// AirPlay devices may be used.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    }

    /// The options of an activation (AVFAudio: `AVAudioSession.SetActiveOptions`).
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Other apps are notified that they can continue.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 0x1)
    }
}
