// FarEnd: simulates the other party of MonkeyCall's calls by custom actions.

import OpenCallKit

/// Performs MonkeyCall's custom actions.
///
/// - `simulate-incoming {handle, name s, video b}`: a call comes in; answers `call-uuid s`
/// - `simulate-remote-end {call-uuid s, reason s}`: the other party ends the call
/// - `simulate-remote-hold {call-uuid s, on-hold b}`: the other party holds or resumes the call
/// - `simulate-failure {action s}`: the next action of that kind is refused; without a kind, a call fails
///
/// All arguments except the handle are optional; the default call is the newest one.
@MainActor
struct FarEnd {
    static let buttons = [
        CXCustomButton(identifier: "simulate-incoming", label: "Simulate an incoming call"),
        CXCustomButton(identifier: "simulate-remote-end", label: "Have the other party hang up"),
        CXCustomButton(identifier: "simulate-remote-hold", label: "Have the other party hold the call"),
        CXCustomButton(identifier: "simulate-failure", label: "Make something fail"),
    ]
    private static let kinds = ["start", "answer", "end", "set-held", "set-muted", "play-dtmf"]

    private struct Mistake: Error {
        let text: String
    }

    private let delegate: MonkeyCallDelegate

    init(_ delegate: MonkeyCallDelegate) { self.delegate = delegate }

    func perform(_ action: CXCustomAction) {
        do throws(Mistake) {
            switch action.identifier {
            case "simulate-incoming": try incoming(action)
            case "simulate-remote-end": try remoteEnd(action)
            case "simulate-remote-hold": try remoteHold(action)
            case "simulate-failure": try failure(action)
            default: throw Mistake(text: "MonkeyCall has no action \(action.identifier)")
            }
        } catch {
            action.fail(error.text)
        }
    }

    private func incoming(_ action: CXCustomAction) throws(Mistake) {
        let uuid = UUID()
        delegate.reportIncomingCall(
            uuid: uuid, handle: try handle(of: action), name: action.arguments["name"]?.stringValue,
            hasVideo: action.arguments["video"]?.boolValue ?? false
        ) { error in
            if let error {
                action.fail("the call was refused: \((error as? any CXErrorType)?.message ?? "\(error)")")
            } else {
                action.fulfill(with: ["call-uuid": .string(uuid.uuidString.lowercased())])
            }
        }
    }

    private func remoteEnd(_ action: CXCustomAction) throws(Mistake) {
        let call = try call(of: action)
        var reason = CXCallEndedReason.remoteEnded
        if let name = action.arguments["reason"]?.stringValue {
            guard let named = CXCallEndedReason(name: name) else { throw Mistake(text: "no reason \(name)") }
            reason = named
        }
        end(call, reason)
        action.fulfill()
    }

    private func remoteHold(_ action: CXCustomAction) throws(Mistake) {
        let update = CXCallUpdate()
        update.isRemoteHeld = action.arguments["on-hold"]?.boolValue ?? true
        delegate.provider.reportCall(with: try call(of: action).uuid, updated: update)
        action.fulfill()
    }

    private func failure(_ action: CXCustomAction) throws(Mistake) {
        if let kind = action.arguments["action"]?.stringValue {
            guard Self.kinds.contains(kind) else {
                throw Mistake(text: "no action \(kind), expected one of \(Self.kinds.joined(separator: ", "))")
            }
            delegate.failing.insert(kind)
        } else {
            end(try call(of: action), .failed)
        }
        action.fulfill()
    }

    private func end(_ call: ActiveCall, _ reason: CXCallEndedReason) {
        delegate.provider.reportCall(with: call.uuid, endedAt: nil, reason: reason)
        call.end { _ in }
        delegate.callManager.calls.removeAll { $0 === call }
    }

    /// Returns the call named by `call-uuid`, or the newest one.
    private func call(of action: CXCustomAction) throws(Mistake) -> ActiveCall {
        guard let text = action.arguments["call-uuid"]?.stringValue else {
            guard let newest = delegate.callManager.calls.last else { throw Mistake(text: "there is no call") }
            return newest
        }
        guard let uuid = UUID(uuidString: text), let call = delegate.callManager.findCall(uuid) else {
            throw Mistake(text: "no call \(text)")
        }
        return call
    }

    /// Reads a pair of type and value, or a text `type:value` or `tel:value`; a text without a type is a generic
    /// handle.
    private func handle(of action: CXCustomAction) throws(Mistake) -> CXHandle {
        switch action.arguments["handle"] {
        case .array(let parts):
            guard parts.count == 2, let name = parts[0].stringValue, let value = parts[1].stringValue,
                let type = CXHandle.HandleType(name: name)
            else { throw Mistake(text: "handle is invalid, expected a pair of type and value") }
            return CXHandle(type: type, value: value)
        case .string(let text):
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2,
                let type = parts[0] == "tel" ? .phoneNumber : CXHandle.HandleType(name: String(parts[0]))
            {
                return CXHandle(type: type, value: String(parts[1]))
            }
            return CXHandle(type: .generic, value: text)
        default: throw Mistake(text: "handle is missing, expected type:value")
        }
    }
}
