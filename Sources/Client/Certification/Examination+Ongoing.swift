// The point about ongoing calls, of a plugin that can simulate one.

import CallModel
import DBus
import EventLoop

extension Examination {
    /// The custom action by which a plugin simulates a call that was dialed or answered on a handset.
    static let ongoingButton = "simulate-ongoing"

    func examineOngoing() async throws(Unmet) -> String {
        try require(button: Self.ongoingButton, "reports no ongoing call by itself", on: try await stage())
        switch await verdict(on: .hold).result {
        case .passed, .notApplicable: break
        case .failed, .notTried: throw .notTried("needs hold")
        }
        let host = try await stage()
        let before = Set(host.calls.keys)
        host.takesOngoing = true
        let answer = try await press(Self.ongoingButton, on: host)
        host.takesOngoing = false
        guard case .fulfilled = answer else { throw .failed(await describe(answer, Self.ongoingButton, host)) }
        guard let (id, call) = host.calls.first(where: { !before.contains($0.key) && $0.value.isOngoing }) else {
            throw .failed("\(Self.ongoingButton) was answered, and no call reported")
        }
        guard call.facts.remoteHandle != nil else { throw .failed("reported without a handle") }
        if let hold = host.holdOfOngoing {
            let answer = await hold.answer()
            guard case .fulfilled = answer else {
                throw .failed("\(await describe(answer, hold.subject, host)); it came before the answer to the report")
            }
        }
        if call.canBeHeld { try await fulfilled(.setHeld(id, false), on: host) }
        let end = try await fulfilled(.end(id, reason: ""), on: host)
        return "reported as \(call.isOutgoing ? "outgoing" : "incoming"), then \(end)"
    }
}
