// Call: where one of Hotline's calls stands.

import OpenCallKit

enum CallState {
    case connecting, active, held, ended
}

enum ConnectedState {
    case pending, complete
}

/// One call; the far side is imagined, and always willing.
@MainActor
final class Call {
    let uuid: UUID
    let outgoing: Bool
    let handle: String
    var state = CallState.ended
    /// The call with which this one was put into one conversation first; nil outside conversations.
    var group: UUID?
    var connectedStateChanged: (() -> Void)?

    private(set) var connectedState = ConnectedState.pending {
        didSet { connectedStateChanged?() }
    }

    init(uuid: UUID, outgoing: Bool = false, handle: String) {
        self.uuid = uuid
        self.outgoing = outgoing
        self.handle = handle
    }

    /// Connects in two steps, right after it was sent on its way.
    func start(completion: (_ success: Bool) -> Void) {
        completion(true)
        state = .connecting
        DispatchQueue.main.async { [self] in
            guard state == .connecting else { return }
            connectedState = .pending
            DispatchQueue.main.async { [self] in
                guard state == .connecting else { return }
                state = .active
                connectedState = .complete
            }
        }
    }

    func answer() { state = .active }

    func end() {
        state = .ended
        group = nil
    }
}
