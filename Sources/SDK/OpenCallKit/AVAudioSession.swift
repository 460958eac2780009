// AVAudioSession: an app's audio configuration, and whether the app has the audio.

internal import Synchronization

/// The app's audio session (AVFAudio: AVAudioSession). It stores the configuration that the app requests and whether
/// the system has granted the audio; it does not play or record. Use the machine's audio system for that, between
/// `didActivate` and `didDeactivate`.
public final class AVAudioSession: Sendable {
    private struct State {
        var category = Category.soloAmbient
        var mode = Mode.default
        var options: CategoryOptions = []
        var preferredSampleRate = 0.0
        var preferredIOBufferDuration: TimeInterval = 0
        var preferredInputChannels = 0
        var preferredOutputChannels = 0
        var isActive = false
        var isGranted = false
    }

    private let state = Mutex(State())
    private static let shared = AVAudioSession()

    private init() {}

    /// Returns the session of this process, which is safe to use on any thread.
    public static func sharedInstance() -> AVAudioSession { shared }

    /// The category; default `soloAmbient`.
    public var category: Category { state.withLock { $0.category } }
    /// The mode; default `default`.
    public var mode: Mode { state.withLock { $0.mode } }
    /// The options of the category; default none.
    public var categoryOptions: CategoryOptions { state.withLock { $0.options } }

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
    public func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }

    /// Whether the app has requested its audio. The system activates the audio of calls: wait for `didActivate`.
    public var isActive: Bool { state.withLock { $0.isActive } }

    /// Requests or releases the app's audio. It only sets `isActive`: the audio of calls is activated and deactivated
    /// by the system, see `didActivate` and `didDeactivate`.
    /// - Throws: nothing.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        state.withLock { $0.isActive = active }
    }

    /// Whether the system has granted the audio to this app's calls. Not in CallKit.
    public var isGranted: Bool { state.withLock { $0.isGranted } }

    /// The preferred sample rate in hertz; 0 means no preference.
    public var preferredSampleRate: Double { state.withLock { $0.preferredSampleRate } }

    /// Sets the preferred sample rate.
    /// - Parameter sampleRate: the rate in hertz, 0 to 768,000; 0 means no preference.
    /// - Throws: ``CXError`` `invalidArgument` for another value.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        guard sampleRate.isFinite, (0...768_000).contains(sampleRate) else {
            throw CXError(.invalidArgument, message: "the sample rate is \(sampleRate) Hz, expected 0 to 768000")
        }
        state.withLock { $0.preferredSampleRate = sampleRate }
    }

    /// The preferred duration of an audio buffer in seconds; 0 means no preference.
    public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.preferredIOBufferDuration } }

    /// Sets the preferred duration of an audio buffer.
    /// - Parameter duration: the duration in seconds, 0 to 10; 0 means no preference.
    /// - Throws: ``CXError`` `invalidArgument` for another value.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard duration.isFinite, (0...10).contains(duration) else {
            throw CXError(.invalidArgument, message: "the buffer duration is \(duration) s, expected 0 to 10")
        }
        state.withLock { $0.preferredIOBufferDuration = duration }
    }

    /// The preferred number of channels to record; 0 means no preference.
    public var preferredInputNumberOfChannels: Int { state.withLock { $0.preferredInputChannels } }

    /// Sets the preferred number of channels to record.
    /// - Parameter count: the number of channels; 0 means no preference.
    /// - Throws: nothing.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        state.withLock { $0.preferredInputChannels = count }
    }

    /// The preferred number of channels to play; 0 means no preference.
    public var preferredOutputNumberOfChannels: Int { state.withLock { $0.preferredOutputChannels } }

    /// Sets the preferred number of channels to play.
    /// - Parameter count: the number of channels; 0 means no preference.
    /// - Throws: nothing.
    public func setPreferredOutputNumberOfChannels(_ count: Int) throws {
        state.withLock { $0.preferredOutputChannels = count }
    }

    private func set(_ category: Category, _ mode: Mode?, _ options: CategoryOptions) {
        state.withLock { state in
            state.category = category
            state.options = options
            if let mode { state.mode = mode }
        }
    }

    /// Resets the session to its initial state.
    func forgetAll() { state.withLock { $0 = State() } }

    func grant(_ granted: Bool) {
        state.withLock { state in
            state.isGranted = granted
            state.isActive = granted
        }
    }
}
