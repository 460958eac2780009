// AVAudioSession: what an app asks of its audio, and whether it has been given it.

internal import Synchronization

/// The app's one audio session. It carries the configuration that the app requests and the system's grant; it plays and
/// records nothing. Use the machine's own audio system for that, between `didActivate` and `didDeactivate`.
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

    public static func sharedInstance() -> AVAudioSession { shared }

    public var category: Category { state.withLock { $0.category } }
    public var mode: Mode { state.withLock { $0.mode } }
    public var categoryOptions: CategoryOptions { state.withLock { $0.options } }

    public func setCategory(_ category: Category) throws { set(category, .default, []) }

    public func setCategory(_ category: Category, options: CategoryOptions) throws { set(category, nil, options) }

    public func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws {
        set(category, mode, options)
    }

    public func setMode(_ mode: Mode) throws { state.withLock { $0.mode = mode } }

    /// Whether the app has asked for its audio. A call's audio is activated by the system: wait for `didActivate`.
    public var isActive: Bool { state.withLock { $0.isActive } }

    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
        state.withLock { $0.isActive = active }
    }

    /// Whether the system has given the audio to this app's calls. Not in CallKit.
    public var isGranted: Bool { state.withLock { $0.isGranted } }

    /// Hertz; 0 is no preference.
    public var preferredSampleRate: Double { state.withLock { $0.preferredSampleRate } }

    public func setPreferredSampleRate(_ sampleRate: Double) throws {
        guard sampleRate.isFinite, (0...768_000).contains(sampleRate) else {
            throw CXError(.invalidArgument, message: "the sample rate is \(sampleRate) Hz, expected 0 to 768000")
        }
        state.withLock { $0.preferredSampleRate = sampleRate }
    }

    /// Seconds; 0 is no preference.
    public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.preferredIOBufferDuration } }

    public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
        guard duration.isFinite, (0...10).contains(duration) else {
            throw CXError(.invalidArgument, message: "the buffer duration is \(duration) s, expected 0 to 10")
        }
        state.withLock { $0.preferredIOBufferDuration = duration }
    }

    /// 0 is no preference.
    public var preferredInputNumberOfChannels: Int { state.withLock { $0.preferredInputChannels } }

    public func setPreferredInputNumberOfChannels(_ count: Int) throws {
        state.withLock { $0.preferredInputChannels = count }
    }

    /// 0 is no preference.
    public var preferredOutputNumberOfChannels: Int { state.withLock { $0.preferredOutputChannels } }

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

    func grant(_ granted: Bool) {
        state.withLock { state in
            state.isGranted = granted
            state.isActive = granted
        }
    }
}
