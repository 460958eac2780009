// ActiveCall: one of MonkeyCall's calls.

import OpenCallKit

/// One simulated call; every operation succeeds.
@MainActor
final class ActiveCall {
    let uuid: UUID
    let handle: String
    let isOutgoing: Bool
    private(set) var startedConnectingOn: Date?
    private(set) var connectedOn: Date?
    private(set) var endedOn: Date?
    var isOnHold = false
    var startingConnectionChanged: ((ActiveCall) -> Void)?
    var connectedChanged: ((ActiveCall) -> Void)?

    init(uuid: UUID, handle: String, isOutgoing: Bool) {
        self.uuid = uuid
        self.handle = handle
        self.isOutgoing = isOutgoing
    }

    private(set) var isConnecting = false {
        didSet {
            if isConnecting { startedConnectingOn = Date() }
            startingConnectionChanged?(self)
        }
    }

    private(set) var isConnected = false {
        didSet {
            if isConnected { connectedOn = Date() } else { endedOn = Date() }
            connectedChanged?(self)
        }
    }

    /// Starts the call at once; it connects a few microseconds later.
    func start(completion: (Bool) -> Void) {
        completion(true)
        after(nanoseconds: 3_000) { [self] in
            isConnecting = true
            after(nanoseconds: 1_500) { [self] in
                isConnecting = false
                isConnected = true
            }
        }
    }

    func answer(completion: (Bool) -> Void) {
        isConnected = true
        completion(true)
    }

    func end(completion: (Bool) -> Void) {
        isConnected = false
        completion(true)
    }

    private func after(nanoseconds: Int, _ body: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
            MainActor.assumeIsolated {
                if self.endedOn == nil { body() }
            }
        }
    }
}
