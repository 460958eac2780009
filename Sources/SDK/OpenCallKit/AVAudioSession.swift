// AVAudioSession: what an app asks of its audio, and whether it has been given it.

internal import Synchronization

/// The app's one audio session (AVFAudio: AVAudioSession). It carries the configuration that the app requests and the
/// system's grant; it plays and records nothing. Use the machine's own audio system for that, between `didActivate` and
/// `didDeactivate`.
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

    /// The one session of this process, on any thread.
    public static func sharedInstance() -> AVAudioSession { shared }

    /// As it was set; `soloAmbient` at first.
    public var category: Category { state.withLock { $0.category } }
    /// As it was set; `default` at first.
    public var mode: Mode { state.withLock { $0.mode } }
    /// As they were set; none at first.
    public var categoryOptions: CategoryOptions { state.withLock { $0.options } }

    /// Sets the category; the mode is `default` and there are no options then.
    /// - Throws: nothing. AVFAudio's method can, hence the word.
    public func setCategory(_ category: Category) throws { set(category, .default, []) }

    /// Sets the category and its options; the mode stays.
    /// - Throws: nothing.
    public func setCategory(_ category: Category, options: CategoryOptions) throws { set(category, nil, options) }

    /// Sets category, mode and options.
    /// - Throws: nothing.
    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        set(category, mode, options)
    }

    /// Sets the mode; all else stays.
    /// - Throws: nothing.
    public func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }

    /// Whether the app has asked for its audio. A call's audio is activated by the system: wait for `didActivate`.
    public var isActive: Bool { state.withLock { $0.isActive } }

    /// Says whether the app wants its audio. It changes `isActive` and nothing else: the audio of calls comes and goes
    /// with `didActivate` and `didDeactivate`.
    /// - Throws: nothing.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        state.withLock { $0.isActive = active }
    }

    /// Whether the system has given the audio to this app's calls. Not in CallKit.
    public var isGranted: Bool { state.withLock { $0.isGranted } }

    /// The sample rate that the app would like, in hertz; 0 is no preference.
    public var preferredSampleRate: Double { state.withLock { $0.preferredSampleRate } }

    /// Says which sample rate the app would like.
    /// - Parameter sampleRate: in hertz, 0 to 768,000; 0 is no preference.
    /// - Throws: ``CXError`` `invalidArgument` for anything else.
    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        guard sampleRate.isFinite, (0...768_000).contains(sampleRate) else {
            throw CXError(.invalidArgument, message: "the sample rate is \(sampleRate) Hz, expected 0 to 768000")
        }
        state.withLock { $0.preferredSampleRate = sampleRate }
    }

    /// How much sound the app would like to get and give at a time, in seconds; 0 is no preference.
    public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.preferredIOBufferDuration } }

    /// Says how much sound the app would like to get and give at a time.
    /// - Parameter duration: in seconds, 0 to 10; 0 is no preference.
    /// - Throws: ``CXError`` `invalidArgument` for anything else.
    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard duration.isFinite, (0...10).contains(duration) else {
            throw CXError(.invalidArgument, message: "the buffer duration is \(duration) s, expected 0 to 10")
        }
        state.withLock { $0.preferredIOBufferDuration = duration }
    }

    /// How many channels the app would like to record; 0 is no preference.
    public var preferredInputNumberOfChannels: Int { state.withLock { $0.preferredInputChannels } }

    /// Says how many channels the app would like to record.
    /// - Parameter count: 0 is no preference.
    /// - Throws: nothing.
    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        state.withLock { $0.preferredInputChannels = count }
    }

    /// How many channels the app would like to play; 0 is no preference.
    public var preferredOutputNumberOfChannels: Int { state.withLock { $0.preferredOutputChannels } }

    /// Says how many channels the app would like to play.
    /// - Parameter count: 0 is no preference.
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

    /// As if it had never been used.
    func forgetAll() { state.withLock { $0 = State() } }

    func grant(_ granted: Bool) {
        state.withLock { state in
            state.isGranted = granted
            state.isActive = granted
        }
    }
}
