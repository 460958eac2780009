// The custom action that compares values: equality, copies, and what is never sent.

import OpenCallKit
import Synchronization

/// The remembered calls.
private let seen = Mutex<[CXCall]>([])

extension Surface {
    static let comparing: [String: Button] = [
        "values": { surface, action in
            switch action.arguments["of"]?.stringValue {
            case "remember":
                seen.withLock { $0 = surface.controller.callObserver.calls }
                action.fulfill()
            case "calls": surface.compareCalls(action)
            case "copies": surface.handOver(action)
            default:
                surface.controller.requestTransaction(with: CXAction()) { error in
                    action.fulfill(with: error.map(values(of:)) ?? [:])
                }
            }
        }
    ]

    /// Returns which calls equal the remembered ones.
    private func compareCalls(_ action: CXCustomAction) {
        let before = seen.withLock { $0 }
        let same = controller.callObserver.calls.filter { call in before.contains { $0.isEqual(to: call) } }
        action.fulfill(with: ["same": .array(same.map { .string($0.uuid.uuidString.lowercased()) })])
    }

    /// Passes objects to the SDK and changes them afterwards.
    private func handOver(_ action: CXCustomAction) {
        let got = provider.configuration
        let (actions, types) = (got.customActions, got.supportedHandleTypes)
        got.localizedName = "Got"
        let given = CXProviderConfiguration(localizedName: "Given")
        given.customActions = actions
        given.supportedHandleTypes = types
        provider.configuration = given
        given.localizedName = "Changed since"
        got.maximumCallGroups = 7

        let update = CXCallUpdate()
        update.localizedCallerName = "Given"
        let uuid = UUID()
        provider.reportNewIncomingCall(with: uuid, update: update) { [self] error in
            let transaction = CXTransaction(action: CXAnswerCallAction(call: uuid))
            controller.request(transaction) { error in
                action.fulfill(
                    with: error.map(Self.values(of:)) ?? ["call": .string(uuid.uuidString.lowercased())])
            }
            transaction.addAction(CXEndCallAction(call: uuid))
        }
        update.localizedCallerName = "Changed since"
    }
}
