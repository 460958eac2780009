// AVAudioSession: an app's audio configuration, and whether the app has the audio.

internal import Synchronization

/// The app's audio session (AVFAudio: AVAudioSession). It stores the configuration that the app requests and whether
/// the system has granted the audio; it does not play or record. Use the machine's audio system for that, between
/// `didActivate` and `didDeactivate`.
public final class AVAudioSession: Sendable {
    /// What the session of the process, or of a test, has stored.
    struct State {
        var category = Category.soloAmbient
        var mode = Mode.default
        var options: CategoryOptions = []
        var preferredSampleRate = 0.0
        var preferredIOBufferDuration: TimeInterval = 0
        var preferredInputChannels = 0
        var preferredOutputChannels = 0
        /// The identifier of the chosen input.
        var preferredInput: String?
        var isActive = false
        var isGranted = false

        mutating func grant(_ granted: Bool) { (isGranted, isActive) = (granted, granted) }
    }

    private static let shared = AVAudioSession()

    private init() {}

    /// Returns the session of this process, which is safe to use on any thread.
    public static func sharedInstance() -> AVAudioSession { shared }

    /// The category; default `soloAmbient`.
    public var category: Category { SDKSession.current.audio.withLock { $0.category } }
    /// The mode; default `default`.
    public var mode: Mode { SDKSession.current.audio.withLock { $0.mode } }
    /// The options of the category; default none.
    public var categoryOptions: CategoryOptions { SDKSession.current.audio.withLock { $0.options } }

    /// Sets the category, the mode `default`, and no options.
    /// - Throws: nothing; AVFAudio's method can throw.
    public func setCategory(_ category: Category) throws { set(category, .default, []) }

    /// Sets the category and its options, and keeps the mode.
    /// - Throws: nothing.
    public func setCategory(_ category: Category, options: CategoryOptions) throws { set(category, nil, options) }

    /// Sets the category, the mode and the options.
    /// - Throws: nothing.
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        set(category, mode, options)
    }

    /// Sets the mode, and keeps the category and the options.
    /// - Throws: nothing.
    public func setMode(_ mode: Mode) throws { SDKSession.current.audio.withLock { $0.mode = mode } }

    /// Whether the app has requested its audio. The system activates the audio of calls: wait for `didActivate`.
    public var isActive: Bool { SDKSession.current.audio.withLock { $0.isActive } }

    /// Requests or releases the app's audio. It only sets `isActive`: the audio of calls is activated and deactivated
    /// by the system, see `didActivate` and `didDeactivate`.
    /// - Throws: nothing.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        SDKSession.current.audio.withLock { $0.isActive = active }
    }

    /// Whether the system has granted the audio to this app's calls. Not in CallKit.
    public var isGranted: Bool { SDKSession.current.audio.withLock { $0.isGranted } }

    /// The preferred sample rate in hertz; 0 means no preference.
    public var preferredSampleRate: Double { SDKSession.current.audio.withLock { $0.preferredSampleRate } }

    /// Sets the preferred sample rate.
    /// - Parameter sampleRate: the rate in hertz, 0 to 768,000; 0 means no preference.
    /// - Throws: ``CXError`` `invalidArgument` for another value.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        guard sampleRate.isFinite, (0...768_000).contains(sampleRate) else {
            throw CXError(.invalidArgument, message: "the sample rate is \(sampleRate) Hz, expected 0 to 768000")
        }
        SDKSession.current.audio.withLock { $0.preferredSampleRate = sampleRate }
    }

    /// The preferred duration of an audio buffer in seconds; 0 means no preference.
    public var preferredIOBufferDuration: TimeInterval {
        SDKSession.current.audio.withLock { $0.preferredIOBufferDuration }
    }

    /// Sets the preferred duration of an audio buffer.
    /// - Parameter duration: the duration in seconds, 0 to 10; 0 means no preference.
    /// - Throws: ``CXError`` `invalidArgument` for another value.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard duration.isFinite, (0...10).contains(duration) else {
            throw CXError(.invalidArgument, message: "the buffer duration is \(duration) s, expected 0 to 10")
        }
        SDKSession.current.audio.withLock { $0.preferredIOBufferDuration = duration }
    }

    /// The preferred number of channels to record; 0 means no preference.
    public var preferredInputNumberOfChannels: Int { SDKSession.current.audio.withLock { $0.preferredInputChannels } }

    /// Sets the preferred number of channels to record.
    /// - Parameter count: the number of channels; 0 means no preference.
    /// - Throws: nothing.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        SDKSession.current.audio.withLock { $0.preferredInputChannels = count }
    }

    /// The preferred number of channels to play; 0 means no preference.
    public var preferredOutputNumberOfChannels: Int { SDKSession.current.audio.withLock { $0.preferredOutputChannels } }

    /// Sets the preferred number of channels to play.
    /// - Parameter count: the number of channels; 0 means no preference.
    /// - Throws: nothing.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        SDKSession.current.audio.withLock { $0.preferredOutputChannels = count }
    }

    private func set(_ category: Category, _ mode: Mode?, _ options: CategoryOptions) {
        SDKSession.current.audio.withLock { state in
            state.category = category
            state.options = options
            if let mode { state.mode = mode }
        }
    }

    /// The identifier of the input that the app prefers; nil means that the system chooses.
    package var preferredInputID: String? {
        get { SDKSession.current.audio.withLock { $0.preferredInput } }
        set { SDKSession.current.audio.withLock { $0.preferredInput = newValue } }
    }
}

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
