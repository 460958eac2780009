// CallKey: what a key for calls does, wherever it is pressed.

package import CallModel
package import DBus
import EventLoop

/// A key that acts on calls without naming one. The raw values are the words of `callctl desktop press`, and the ids of
/// shortcuts at the desktop's portal.
package enum CallKey: String, Sendable, CaseIterable {
    case answer, decline, silence
    case hangUp = "hang-up"

    /// What it does, for people.
    package var label: String {
        switch self {
        case .answer: "Answer the call"
        case .decline: "Decline the call"
        case .silence: "Silence the ringing"
        case .hangUp: "Hang up"
        }
    }

    /// The letter that is proposed for it, with Super and Shift. GNOME 43 and 48, Plasma 5.27 and 6.3, Cinnamon, MATE,
    /// Xfce and sway use none of these by default.
    package var letter: String {
        switch self {
        case .answer: "a"
        case .decline: "d"
        case .silence: "m"
        case .hangUp: "x"
        }
    }

    /// What it asks the daemon for; nil if there is no call for it. Of several calls that ring it means the one that rings
    /// aloud, and then the one that has rung longest.
    package func request(among calls: some Collection<PublishedCall>) -> CallKeyRequest? {
        let ringing = calls.filter { $0.state == .ringing }.min { $0.ringingOrder < $1.ringingOrder }
        switch self {
        case .answer: return ringing.map { .answer($0.path) }
        case .decline: return ringing.map { .reject($0.path) }
        case .silence: return ringing.map { _ in .silence }
        case .hangUp: return calls.contains(where: \.isTalked) ? .end(PublishedCall.talked.map(\.rawValue)) : nil
        }
    }
}

/// A request that a key makes.
package enum CallKeyRequest: Sendable, Equatable {
    case answer(ObjectPath)
    case reject(ObjectPath)
    case silence
    /// Ends the calls in these states.
    case end([String])
}

extension PublishedCall {
    /// The states of calls that the user is busy with: a red button ends them, and leaves those on hold.
    fileprivate static let talked = CallState.allCases.filter { $0.hasLine && $0 != .holding }

    /// Whether the user is busy with this call: talks, or waits for the far side.
    package var isTalked: Bool { Self.talked.contains(state) }

    /// Whether the call rings so that it is heard, be it by a tone.
    package var ringsAloud: Bool { state == .ringing && ringMode != .silent }

    fileprivate var ringingOrder: (Int, WallTime, String) { (ringsAloud ? 0 : 1, order.0, order.1) }
}

extension CallSystemModel {
    /// Does what a key asks for now: nothing if there is no call for it.
    package func press(_ key: CallKey, answered: @escaping @LoopActor (Result<Message, DBusError>) -> Void) {
        switch key.request(among: state.calls.values) {
        case .answer(let call): request(call, Contract.call, "Answer", answered: answered)
        case .reject(let call): request(call, Contract.call, "Reject", "", answered: answered)
        case .silence: request(DaemonPath.system, Contract.callSystem, "SilenceRinging", answered: answered)
        case .end(let states): request(DaemonPath.system, Contract.callSystem, "EndCalls", states, answered: answered)
        case nil: break
        }
    }
}
