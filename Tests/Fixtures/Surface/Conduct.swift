// What the fixture does with the actions that it is given.

import OpenCallKit
import Synchronization

/// Fulfils each action, unless it was told otherwise for its kind.
final class Conduct: Sendable {
    private struct Orders {
        var manners: [String: String] = [:]
        var kept: [CXAction] = []
    }

    private let orders = Mutex(Orders())

    func set(_ manner: String, for kind: String) { orders.withLock { $0.manners[kind] = manner } }

    /// The actions that were kept, which are forgotten.
    func takeKept() -> [CXAction] {
        orders.withLock { orders in
            defer { orders.kept = [] }
            return orders.kept
        }
    }

    func take(_ action: CXCallAction, of kind: String) {
        switch orders.withLock({ $0.manners[kind] }) ?? "fulfill" {
        case "fail": action.fail()
        case "keep": orders.withLock { $0.kept.append(action) }
        case "twice":
            action.fulfill()
            action.fulfill()
            action.fail()
        case "elsewhere": DispatchQueue.global().async { action.fulfill() }
        default: action.fulfill()
        }
    }
}
