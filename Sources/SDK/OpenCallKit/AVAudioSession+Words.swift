// The words of an audio session's configuration.

extension AVAudioSession {
    /// What the app uses audio for (AVFAudio: `AVAudioSession.Category`). It says so and does nothing by itself.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sound that is not the point, and mixes with others'.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Sound that is not the point, and silences others'. What a session has at first.
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Playing is the point.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Recording is the point.
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Both at a time: calls.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Several devices at a time.
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
    }

    /// What kind of audio it is within a category (AVFAudio: `AVAudioSession.Mode`).
    public struct Mode: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing in particular. What a session has at first.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// People who talk: calls.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// People who talk and see each other.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// Players who talk.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// Sound that is to be changed as little as possible.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// A film.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// Somebody who reads.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// The sound of a camera.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// Short words in between, such as directions.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
    }

    /// How a category is to be taken (AVFAudio: `AVAudioSession.CategoryOptions`, with its raw values).
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others may go on playing.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Others may go on, more softly.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// Hands-free devices may be used. The older name of `allowBluetoothHFP`.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// Hands-free devices may be used.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The loudspeaker, where nothing else is plugged in.
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Whoever reads pauses, others go on.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Wireless loudspeakers may be used.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Loudspeakers in the network may be used.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    }

    /// What is to happen beside an activation (AVFAudio: `AVAudioSession.SetActiveOptions`).
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Others hear that they can go on.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 0x1)
    }
}
