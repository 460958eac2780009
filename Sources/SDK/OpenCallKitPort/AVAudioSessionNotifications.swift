// The notifications of an audio session, which are never posted on Linux.

/// Nothing interrupts the audio of a call here but another call, of which
/// `CXProviderDelegate.provider(_:didDeactivate:)` tells; and routes do not change. Observers of these notifications
/// compile and are not called, as on a device where nothing happens.
extension AVAudioSession {
    /// Tells that the audio is interrupted, or no longer (AVFAudio). Never posted.
    public static let interruptionNotification = Notification.Name("AVAudioSessionInterruptionNotification")
    /// Tells that the inputs or outputs have changed (AVFAudio). Never posted.
    public static let routeChangeNotification = Notification.Name("AVAudioSessionRouteChangeNotification")
    /// Tells that the system's audio is gone (AVFAudio). Never posted.
    public static let mediaServicesWereLostNotification = Notification.Name(
        "AVAudioSessionMediaServicesWereLostNotification")
    /// Tells that the system's audio is available again (AVFAudio). Never posted.
    public static let mediaServicesWereResetNotification = Notification.Name(
        "AVAudioSessionMediaServicesWereResetNotification")

    /// Whether an interruption begins or ends (AVFAudio: `AVAudioSession.InterruptionType`).
    public enum InterruptionType: UInt, Sendable {
        /// It ends.
        case ended = 0
        /// It begins.
        case began = 1
    }

    /// What to do after an interruption (AVFAudio: `AVAudioSession.InterruptionOptions`).
    public struct InterruptionOptions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The app may continue to play.
        public static let shouldResume = InterruptionOptions(rawValue: 1)
    }

    /// Why the inputs or outputs have changed (AVFAudio: `AVAudioSession.RouteChangeReason`).
    public enum RouteChangeReason: UInt, Sendable {
        /// Another reason.
        case unknown = 0
        /// A device is available.
        case newDeviceAvailable = 1
        /// A device is no longer available.
        case oldDeviceUnavailable = 2
        /// The category has changed.
        case categoryChange = 3
        /// The app has called `overrideOutputAudioPort(_:)`.
        case override = 4
        /// The device has woken up.
        case wakeFromSleep = 6
        /// There is no device for the category.
        case noSuitableRouteForCategory = 7
        /// The configuration of the route has changed.
        case routeConfigurationChange = 8
    }
}

/// The key of the `AVAudioSession.InterruptionType` of an interruption, a number (AVFAudio).
public let AVAudioSessionInterruptionTypeKey = "AVAudioSessionInterruptionTypeKey"
/// The key of the `AVAudioSession.InterruptionOptions` of an interruption, a number (AVFAudio).
public let AVAudioSessionInterruptionOptionKey = "AVAudioSessionInterruptionOptionKey"
/// The key of the `AVAudioSession.RouteChangeReason` of a change, a number (AVFAudio).
public let AVAudioSessionRouteChangeReasonKey = "AVAudioSessionRouteChangeReasonKey"
/// The key of the ``AVAudioSessionRouteDescription`` before a change (AVFAudio).
public let AVAudioSessionRouteChangePreviousRouteKey = "AVAudioSessionRouteChangePreviousRouteKey"
