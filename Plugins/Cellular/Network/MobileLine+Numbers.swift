// The number of an incoming call, which a modem may tell a moment after the call.

import EventLoop
import OpenCallKit

extension MobileLine {
    /// How long a new call waits for its number, in milliseconds. By the number the system decides whether the call rings.
    private static let numberPatience = 300

    /// Whether the number of a new call may still come.
    func awaitsNumber(_ call: MobileCall) -> Bool {
        guard call.number.isEmpty else { return false }
        if let wait = numberWaits[call.id] { return wait.isPending }
        numberWaits[call.id] = LoopTimer(afterMilliseconds: Self.numberPatience) { [weak self] in self?.reconcile() }
        return true
    }

    /// Reports a number that was told after the call had been reported.
    func reportNumber(_ call: MobileCall) {
        guard let now = told[call.id], !now.hasNumber, !call.number.isEmpty, !now.isOutgoing else { return }
        guard now.stage == .ringing || now.stage == .connected else { return }
        told[call.id]?.hasNumber = true
        provider.reportCall(with: now.uuid, updated: update(for: call))
    }
}
