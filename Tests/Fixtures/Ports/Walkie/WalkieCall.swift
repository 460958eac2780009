// A layer like that of Apple's sample app: a call that tells its observers of each change, with closures.

#if canImport(CallKit)
    import Foundation
#else
    import OpenCallKitPort
#endif

final class WalkieCall {
    let uuid: UUID
    let isOutgoing: Bool
    var handle: String?

    var stateDidChange: (() -> Void)?
    var hasStartedConnectingDidChange: (() -> Void)?
    var hasConnectedDidChange: (() -> Void)?
    var hasEndedDidChange: (() -> Void)?

    var connectingDate: Date? {
        didSet {
            stateDidChange?()
            hasStartedConnectingDidChange?()
        }
    }
    var connectDate: Date? {
        didSet {
            stateDidChange?()
            hasConnectedDidChange?()
        }
    }
    var endDate: Date? {
        didSet {
            stateDidChange?()
            hasEndedDidChange?()
        }
    }
    var isOnHold = false { didSet { stateDidChange?() } }
    var isMuted = false

    var hasConnected: Bool { connectDate != nil }
    var hasEnded: Bool { endDate != nil }

    init(uuid: UUID, isOutgoing: Bool = false) {
        self.uuid = uuid
        self.isOutgoing = isOutgoing
    }

    /// Simulates a network on which everybody answers.
    func start(completion: ((_ success: Bool) -> Void)?) {
        completion?(true)
        DispatchQueue.main.async {
            self.connectingDate = Date()
            DispatchQueue.main.async { self.connectDate = Date() }
        }
    }

    func answer() { connectDate = Date() }
    func end() { endDate = Date() }
}
