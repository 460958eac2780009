// HotlineCall: one of Hotline's calls and its state.

import OpenCallKit

enum CallState {
    case connecting, active, held, ended
}

enum ConnectedState {
    case pending, complete
}

/// One call; its far side is simulated and accepts everything.
@MainActor
final class HotlineCall {
    let uuid: UUID
    let outgoing: Bool
    var handle: String
    var state = CallState.ended
    /// The call that this one was first grouped with; nil outside a group.
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

    /// Starts and connects the call, in two steps.
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
