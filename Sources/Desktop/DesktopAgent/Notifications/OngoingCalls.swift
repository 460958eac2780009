// OngoingCalls: shows calls that go on, which so can be ended, and says when one has ended.

import CallClient
import CallModel
import DBus
import EventLoop

/// A notification for each call that is dialed, active or held, and one for a call that others have ended.
@LoopActor
final class OngoingCalls {
    /// Called with a request that was refused.
    var onFailure: (@LoopActor (String, DBusError) -> Void)?

    private let context: DesktopContext
    private let board: NotificationBoard
    private var shown: Set<ObjectPath> = []

    private static let endedKey = "ended"

    init(_ context: DesktopContext, _ board: NotificationBoard) {
        self.context = context
        self.board = board
    }

    func handle(_ change: CallSystemChange) {
        if case .changed(_, _, _, _, .call(let call), .call(let before)) = change, call.hasEnded, !before.hasEnded,
            let notification = DesktopNotification.ended(call, hidesNames: context.hidesNames)
        {
            board.withdraw(Self.endedKey)
            board.show(Self.endedKey, notification) { _ in }
        }
        update()
    }

    func update() {
        let calls = context.model.state.calls
        // A call that is on its way from one state to another is shown as it was.
        let changing: [CallState?] = [.holding, .resuming, .ending]
        let stable = calls.values.filter {
            $0.isIdentified && ($0.state.isDialing || [.active, .held].contains($0.state))
        }
        let kept = Set(stable.map(\.path)).union(shown.filter { changing.contains(calls[$0]?.state) })
        for path in shown.subtracting(kept) { board.withdraw(Self.key(of: path)) }
        shown = kept
        for call in stable.sorted(by: { $0.order < $1.order }) {
            board.show(Self.key(of: call.path), .ongoing(call, context)) { [weak self] in
                self?.chosen($0, call.path)
            }
        }
    }

    /// The key of a call's notification on the board.
    private static func key(of path: ObjectPath) -> String { "ongoing \(path.text)" }

    private func chosen(_ action: String, _ path: ObjectPath) {
        switch action {
        case "hang-up": request("Hanging up", path, "End")
        case "send-digits": request("Sending the digits", path, "SendWaitingDigits")
        case "mute": request("Muting", path, "SetMuted", true)
        case "unmute": request("Unmuting", path, "SetMuted", false)
        case "hold": request("Holding", path, "SetHeld", true)
        case "resume": request("Resuming", path, "SetHeld", false)
        case "swap":
            guard let other = context.model.state.heldCall else { return }
            request("Swapping", other.path, "SetHeld", false, of: path)
        default: break
        }
    }

    /// - Parameter owner: the call with the button.
    private func request<each Argument: DBusType>(
        _ action: String, _ path: ObjectPath, _ member: String, _ arguments: repeat each Argument,
        of owner: ObjectPath? = nil
    ) {
        context.model.request(path, Contract.call, member, repeat each arguments) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.onFailure?(action, error)
            self?.board.showAgain(Self.key(of: owner ?? path))
        }
    }
}
