// How the fixture answers its actions.

import OpenCallKit
import Synchronization

/// Fulfils each action, unless the test has chosen another answer for its kind.
final class Conduct: Sendable {
    /// An error that is not one of CallKit's.
    private struct Oddity: Error, CustomStringConvertible {
        let description = "the moon is full"
    }

    private struct Orders {
        var manners: [String: String] = [:]
        var kept: [CXAction] = []
        var executes = false
        /// The kept transactions and actions.
        var asked: [CXTransaction]?
        var performed: [CXAction] = []
    }

    private let orders = Mutex(Orders())

    /// Whether whole transactions are accepted and kept.
    func execute(_ executes: Bool) {
        orders.withLock { orders in
            orders.executes = executes
            (orders.asked, orders.performed) = ([], [])
        }
    }

    func executes(_ transaction: CXTransaction) -> Bool {
        orders.withLock { orders in
            orders.asked?.append(transaction)
            return orders.executes
        }
    }

    var asked: [CXTransaction] { orders.withLock { $0.asked ?? [] } }

    /// The number of a transaction's actions that reached the methods for their kinds.
    func performed(of transaction: CXTransaction) -> Int {
        let performed = orders.withLock { $0.performed }
        return transaction.actions.count { action in performed.contains { $0 === action } }
    }

    func set(_ manner: String, for kind: String) { orders.withLock { $0.manners[kind] = manner } }

    /// Returns the kept actions and forgets them.
    func takeKept() -> [CXAction] {
        orders.withLock { orders in
            defer { orders.kept = [] }
            return orders.kept
        }
    }

    /// Answers an action of a transaction as if it came alone.
    func take(_ action: CXAction, _ provider: CXProvider) {
        switch action {
        case let action as CXStartCallAction: obey(action, of: "start", provider)
        case let action as CXAnswerCallAction: obey(action, of: "answer", provider)
        case let action as CXEndCallAction: obey(action, of: "end", provider)
        case let action as CXSetHeldCallAction: obey(action, of: "set-held", provider)
        case let action as CXSetMutedCallAction: obey(action, of: "set-muted", provider)
        case let action as CXSetGroupCallAction: obey(action, of: "set-group", provider)
        case let action as CXPlayDTMFCallAction: obey(action, of: "play-dtmf", provider)
        case let action as CXSetTranslatingCallAction: obey(action, of: "set-translating", provider)
        case let action as CXTransferCallAction: obey(action, of: "transfer", provider)
        case let action as CXAnswerTransferCallAction: obey(action, of: "answer-transfer", provider)
        default: action.fail()
        }
    }

    func take(_ action: CXCallAction, of kind: String, _ provider: CXProvider) {
        orders.withLock { if $0.asked != nil { $0.performed.append(action) } }
        obey(action, of: kind, provider)
    }

    private func obey(_ action: CXCallAction, of kind: String, _ provider: CXProvider) {
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

    func fulfill(_ action: CXAction, at date: Date?) {
        if let date, let action = action as? CXCallAction { self.date(action, date) } else { action.fulfill() }
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
