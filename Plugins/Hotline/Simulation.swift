// Simulation: simulates the far side of Hotline's calls by custom actions.

import OpenCallKit

/// Hotline's custom actions, by identifier. Arguments in brackets are optional; the default call is the newest one.
enum Simulation: String, CaseIterable {
    /// `handle`, [`name s`, `video b`]; answers `call-uuid s`.
    case incoming = "simulate-incoming"
    /// `handle`, [`name s`]: a call that was dialed elsewhere; answers `call-uuid s`.
    case ongoing = "simulate-ongoing"
    /// [`call-uuid s`, `reason s`]
    case remoteEnd = "simulate-remote-end"
    /// [`call-uuid s`, `on-hold b`]
    case remoteHold = "simulate-remote-hold"
    /// `handle`, [`call-uuid s`]: the far side asks that the call go on with this party.
    case transferRequest = "simulate-transfer-request"
    /// [`action s`]: the kind of the action that fails; without it, a call fails.
    case failure = "simulate-failure"

    var button: CXCustomButton {
        switch self {
        case .incoming: CXCustomButton(identifier: rawValue, label: "Receive a call")
        case .ongoing: CXCustomButton(identifier: rawValue, label: "Bring a call along")
        case .remoteEnd: CXCustomButton(identifier: rawValue, label: "End the call on the far side")
        case .remoteHold: CXCustomButton(identifier: rawValue, label: "Hold the call on the far side")
        case .transferRequest: CXCustomButton(identifier: rawValue, label: "Ask for a transfer on the far side")
        case .failure: CXCustomButton(identifier: rawValue, label: "Fail")
        }
    }

    @MainActor
    func perform(_ action: CXCustomAction, on hotline: ProviderDelegate) {
        switch self {
        case .incoming: receiveCall(action, hotline)
        case .ongoing: bringCall(action, hotline)
        case .remoteEnd:
            let name = action.arguments["reason"]?.stringValue ?? CXCallEndedReason.remoteEnded.name
            guard let reason = CXCallEndedReason(name: name) else {
                action.fail("reason is \(name), expected one of CXCallEndedReason's names")
                return
            }
            endCall(action, hotline, reason)
        case .remoteHold:
            guard let call = call(action, hotline) else { return }
            let update = CXCallUpdate()
            update.isRemoteHeld = action.arguments["on-hold"]?.boolValue ?? true
            hotline.provider.reportCall(with: call.uuid, updated: update)
            action.fulfill()
        case .transferRequest:
            guard let handle = handle(of: action), let call = call(action, hotline) else { return }
            let update = CXCallUpdate()
            update.transferRequest = .to(handle)
            hotline.provider.reportCall(with: call.uuid, updated: update)
            action.fulfill()
        case .failure:
            guard let kind = action.arguments["action"]?.stringValue else {
                endCall(action, hotline, .failed)
                return
            }
            let kinds: Set = [
                "start", "answer", "end", "set-held", "set-muted", "set-group", "play-dtmf", "set-translating",
                "transfer", "answer-transfer",
            ]
            guard kinds.contains(kind) else {
                action.fail("action is \(kind), expected one of \(kinds.sorted().joined(separator: ", "))")
                return
            }
            hotline.orderedFailures.insert(kind)
            action.fulfill()
        }
    }

    @MainActor
    private func receiveCall(_ action: CXCustomAction, _ hotline: ProviderDelegate) {
        guard let handle = handle(of: action) else { return }
        let uuid = UUID()
        hotline.reportIncomingCall(
            uuid: uuid, handle: handle, name: action.arguments["name"]?.stringValue,
            hasVideo: action.arguments["video"]?.boolValue ?? false
        ) { error in
            if let error {
                refuse(action, error)
            } else {
                action.fulfill(with: ["call-uuid": .string(uuid.uuidString.lowercased())])
            }
        }
    }

    private func refuse(_ action: CXCustomAction, _ error: any Error) {
        action.fail("the call was refused: \((error as? any CXErrorType)?.message ?? "\(error)")")
    }

    @MainActor
    private func bringCall(_ action: CXCustomAction, _ hotline: ProviderDelegate) {
        guard let handle = handle(of: action) else { return }
        let (uuid, name) = (UUID(), action.arguments["name"]?.stringValue)
        Task {
            do {
                try await hotline.reportOngoingCall(uuid: uuid, handle: handle, name: name)
                action.fulfill(with: ["call-uuid": .string(uuid.uuidString.lowercased())])
            } catch {
                refuse(action, error)
            }
        }
    }

    /// Returns the handle of an action; fails the action and returns nil if there is none.
    private func handle(of action: CXCustomAction) -> CXHandle? {
        let handle = action.arguments["handle"].flatMap(Self.handle)
        if handle == nil {
            action.fail("handle is missing or malformed, expected a number, type:value or a pair of both")
        }
        return handle
    }

    @MainActor
    private func endCall(_ action: CXCustomAction, _ hotline: ProviderDelegate, _ reason: CXCallEndedReason) {
        guard let call = call(action, hotline) else { return }
        hotline.provider.reportCall(with: call.uuid, endedAt: nil, reason: reason)
        call.end()
        hotline.callManager.remove(call: call)
        action.fulfill()
    }

    /// Returns the call of an action; fails the action and returns nil if the call is unknown.
    @MainActor
    private func call(_ action: CXCustomAction, _ hotline: ProviderDelegate) -> HotlineCall? {
        let named = action.arguments["call-uuid"]?.stringValue
        let found =
            if let named {
                UUID(uuidString: named).flatMap(hotline.callManager.callWithUUID)
            } else {
                hotline.callManager.calls.last
            }
        if found == nil { action.fail(named.map { "no call \($0)" } ?? "Hotline has no call") }
        return found
    }

    /// Returns the type that a handle begins with, or the type of a URI.
    private static func type(_ word: String) -> CXHandle.HandleType? {
        switch word {
        case "tel": .phoneNumber
        case "mailto": .emailAddress
        default: CXHandle.HandleType(name: word)
        }
    }

    /// Reads a handle; one without a type is a phone number.
    private static func handle(_ value: CXValue) -> CXHandle? {
        if let pair = value.arrayValue?.compactMap(\.stringValue) {
            guard pair.count == 2, let type = CXHandle.HandleType(name: pair[0]) else { return nil }
            return CXHandle(type: type, value: pair[1])
        }
        guard let text = value.stringValue else { return nil }
        if let colon = text.firstIndex(of: ":"), let type = type(String(text[..<colon])) {
            return CXHandle(type: type, value: String(text[text.index(after: colon)...]))
        }
        return CXHandle(type: .phoneNumber, value: text)
    }
}
