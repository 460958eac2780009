// A layer like that of a video meeting's SDK, without Objective-C: a static proxy, and listeners that are referenced
// weakly.

#if canImport(CallKit)
    import AVFoundation
    import CallKit
#else
    import OpenCallKitPort
#endif

public protocol MeetingCallKitListener: NSObjectProtocol {
    func providerDidReset()
    func performAnswerCall(UUID: UUID)
    func performEndCall(UUID: UUID)
    func performSetMutedCall(UUID: UUID, isMuted: Bool)
    func performStartCall(UUID: UUID, isVideo: Bool)
    func providerDidActivateAudioSession(session: AVAudioSession)
    func providerDidDeactivateAudioSession(session: AVAudioSession)
    func providerTimedOutPerformingAction(action: CXAction)
}

extension MeetingCallKitListener {
    public func providerTimedOutPerformingAction(action: CXAction) {}
}

final class MeetingListenerWrapper: Hashable {
    weak var listener: MeetingCallKitListener?
    private let identifier: ObjectIdentifier

    init(listener: MeetingCallKitListener) {
        self.listener = listener
        identifier = ObjectIdentifier(listener)
    }

    static func == (lhs: MeetingListenerWrapper, rhs: MeetingListenerWrapper) -> Bool {
        lhs.identifier == rhs.identifier
    }
    func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
