// What the fixture does with the actions that it is given.

import OpenCallKit
import Synchronization

/// Fulfils each action, unless it was told otherwise for its kind.
final class Conduct: Sendable {
    /// An error that is none of CallKit's.
    private struct Oddity: Error, CustomStringConvertible {
        let description = "the moon is full"
    }

    private struct Orders {
        var manners: [String: String] = [:]
        var kept: [CXAction] = []
        var executes = false
    }

    private let orders = Mutex(Orders())

    /// Whether transactions are dealt with as a whole.
    var executes: Bool {
        get { orders.withLock { $0.executes } }
        set { orders.withLock { $0.executes = newValue } }
    }

    func set(_ manner: String, for kind: String) { orders.withLock { $0.manners[kind] = manner } }

    /// The actions that were kept, which are forgotten.
    func takeKept() -> [CXAction] {
        orders.withLock { orders in
            defer { orders.kept = [] }
            return orders.kept
        }
    }

    func take(_ action: CXCallAction, of kind: String, _ provider: CXProvider) {
        let manner = orders.withLock({ $0.manners[kind] }) ?? "fulfill"
        let because = "fail because "
        if manner.hasPrefix(because) { return action.fail(String(manner.dropFirst(because.count))) }
        switch manner {
        case "fail": action.fail()
        case "fail unentitled":
            action.fail(with: CXErrorCodeRequestTransactionError(.unentitled, message: "log in first"))
        case "fail oddly": action.fail(with: Oddity())
        case "keep": orders.withLock { $0.kept.append(action) }
        case "twice":
            action.fulfill()
            action.fulfill()
            action.fail()
        case "elsewhere": DispatchQueue.global().async { action.fulfill() }
        case "an hour ago": date(action, Date(timeIntervalSinceNow: -3600))
        case "now": date(action, Date())
        case "default", "custom":
            (action as? CXSetTranslatingCallAction)?.fulfill(using: manner == "custom" ? .custom : .default)
        case "connect at once":
            action.fulfill()
            provider.reportOutgoingCall(with: action.callUUID, startedConnectingAt: nil)
            provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
        case "connect first":
            provider.reportOutgoingCall(with: action.callUUID, startedConnectingAt: nil)
            provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
            action.fulfill()
        default: action.fulfill()
        }
    }

    private func date(_ action: CXCallAction, _ date: Date) {
        switch action {
        case let start as CXStartCallAction: start.fulfill(withDateStarted: date)
        case let answer as CXAnswerCallAction: answer.fulfill(withDateConnected: date)
        case let end as CXEndCallAction: end.fulfill(withDateEnded: date)
        default: action.fulfill()
        }
    }
}
