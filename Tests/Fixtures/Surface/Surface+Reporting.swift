// The custom actions that report calls.

import OpenCallKit

extension Surface {
    static let reporting: [String: Button] = [
        "incoming": { surface, action in
            if action.arguments["as"]?.stringValue == "ongoing" { return surface.reportOngoing(action) }
            let uuid = uuid(action) ?? UUID()
            surface.provider.reportNewIncomingCall(with: uuid, update: update(action)) { error in
                surface.note("reported")
                action.fulfill(with: error.map(values(of:)) ?? ["call": .string(uuid.uuidString.lowercased())])
            }
            // Before the completion handler has run.
            for word in action.arguments["and"]?.arrayValue?.compactMap(\.stringValue) ?? [] {
                surface.reportPlainly(word, uuid, action)
            }
        },
        "incoming-async": { surface, action in
            let uuid = uuid(action) ?? UUID()
            let handle = CXHandle(type: .generic, value: "async")
            attempt(action) {
                let update = CXCallUpdate()
                update.remoteHandle = handle
                try await surface.provider.reportNewIncomingCall(with: uuid, update: update)
            }
        },
        "report": { surface, action in
            let uuid = uuid(action) ?? UUID()
            attempt(action) { try await surface.provider.report(try event(action), for: uuid) }
        },
        "report-plainly": { surface, action in
            surface.reportPlainly(action.arguments["what"]?.stringValue ?? "", uuid(action) ?? UUID(), action)
            action.fulfill(with: [:])
        },
        "push-async": { surface, action in
            attempt(action) { try await CXProvider.reportNewIncomingVoIPPushPayload([:]) }
        },
        "push": { surface, action in
            CXProvider.reportNewIncomingVoIPPushPayload(["call": 1]) { error in
                action.fulfill(with: error.map(values(of:)) ?? [:])
            }
        },
    ]

    /// Answers with the call, and with whether an observer has it by then.
    private func reportOngoing(_ action: CXCustomAction) {
        let (uuid, isOutgoing) = (Self.uuid(action) ?? UUID(), action.arguments["outgoing"]?.boolValue ?? false)
        let observer = controller.callObserver
        _ = observer.calls
        Task {
            do {
                let (date, update) = (Self.date(action), Self.update(action))
                if let isOnHold = action.arguments["held"]?.boolValue {
                    try await provider.reportOngoingCall(
                        with: uuid, isOutgoing: isOutgoing, isOnHold: isOnHold, connectedAt: date, update: update)
                } else {
                    try await provider.reportOngoingCall(
                        with: uuid, isOutgoing: isOutgoing, connectedAt: date, update: update)
                }
                let isSeen = observer.calls.contains { $0.uuid == uuid }
                action.fulfill(with: ["call": .string(uuid.uuidString.lowercased()), "seen": .bool(isSeen)])
            } catch {
                action.fulfill(with: Self.values(of: error))
            }
        }
    }

    private func reportPlainly(_ what: String, _ uuid: UUID, _ action: CXCustomAction) {
        switch what {
        case "connecting": provider.reportOutgoingCall(with: uuid, startedConnectingAt: Self.date(action))
        case "connected": provider.reportOutgoingCall(with: uuid, connectedAt: Self.date(action))
        case "updated": provider.reportCall(with: uuid, updated: Self.update(action))
        case "ended":
            let (date, reason) = (Self.date(action), Self.reason(action))
            guard let word = action.arguments["detail"]?.stringValue else {
                return provider.reportCall(with: uuid, endedAt: date, reason: reason)
            }
            let details = CXCallEndedDetails(
                reason: CXCallEndedDetails.Reason(rawValue: word), code: action.arguments["code"]?.stringValue ?? "")
            provider.reportCall(with: uuid, endedAt: date, reason: reason, details: details)
        default: log.note("cannot report \(what)")
        }
    }

    private static func event(_ action: CXCustomAction) throws -> CXCallEvent {
        switch action.arguments["what"]?.stringValue {
        case "connecting": .startedConnecting(date(action))
        case "connected": .connected(date(action))
        case "updated": .updated(update(action))
        case "ended": .ended(date(action), reason(action))
        default: throw CXError(.invalidArgument)
        }
    }

    static func uuid(_ action: CXCustomAction) -> UUID? {
        action.arguments["call"]?.stringValue.flatMap { UUID(uuidString: $0) }
    }

    private static func date(_ action: CXCustomAction) -> Date? {
        action.arguments["at"]?.doubleValue.map(Date.init(timeIntervalSince1970:))
    }

    private static func reason(_ action: CXCustomAction) -> CXCallEndedReason {
        action.arguments["reason"]?.integerValue.flatMap { CXCallEndedReason(rawValue: Int($0)) } ?? .remoteEnded
    }

    /// Replaces the symbol for NUL by U+0000, which no message can carry to the fixture.
    static func withNUL(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\u{2400}" ? "\0" : $0 }))
    }

    private static func update(_ action: CXCustomAction) -> CXCallUpdate {
        let update = CXCallUpdate()
        let arguments = action.arguments
        if let handle = arguments["handle"]?.stringValue {
            update.remoteHandle = CXHandle(type: .generic, value: withNUL(handle))
        }
        if let handle = arguments["transfer-request"]?.stringValue {
            update.transferRequest = handle.isEmpty ? .withdrawn : .to(CXHandle(type: .generic, value: handle))
        }
        update.localizedCallerName = arguments["name"]?.stringValue.map(withNUL)
        if let holding = arguments["holding"]?.boolValue { update.supportsHolding = holding }
        if let grouping = arguments["grouping"]?.boolValue { update.supportsGrouping = grouping }
        if let ungrouping = arguments["ungrouping"]?.boolValue { update.supportsUngrouping = ungrouping }
        if let tones = arguments["dtmf"]?.boolValue { update.supportsDTMF = tones }
        if let held = arguments["on-hold"]?.boolValue { update.isOnHold = held }
        if let video = arguments["video"]?.boolValue { update.hasVideo = video }
        return update
    }
}
