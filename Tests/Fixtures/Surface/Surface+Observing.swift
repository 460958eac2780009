// The custom actions that list calls and recorded events.

import OpenCallKit
import Synchronization

extension Surface {
    static let observing: [String: Button] = [
        "log": { surface, action in
            action.fulfill(with: ["lines": .array(surface.log.lines.map(CXValue.string))])
        },
        "forget": { surface, action in
            surface.log.clear()
            action.fulfill(with: [:])
        },
        "hear": { surface, action in
            let beginnings = action.arguments["beginnings"]?.arrayValue?.compactMap(\.stringValue) ?? []
            surface.log.wait(for: beginnings) { action.fulfill(with: ["lines": .array($0.map(CXValue.string))]) }
        },
        "behave": { surface, action in
            let (kind, how) = (action.arguments["kind"]?.stringValue ?? "", action.arguments["how"]?.stringValue ?? "")
            surface.conduct.set(how, for: kind)
            action.fulfill(with: [:])
        },
        "observe": { surface, action in
            surface.watcher.watch(surface.controller)
            action.fulfill(with: [:])
        },
        "unobserve": { surface, action in
            surface.watcher.ignore()
            action.fulfill(with: [:])
        },
        "calls": { surface, action in
            if let count = action.arguments["see"]?.integerValue {
                return attempt(action) { try await surface.seeCalls(count) }
            }
            // The queue of the delegate is not the main queue: the first use waits for the system's answer.
            let lines = surface.controller.callObserver.calls.map(\.line)
            action.fulfill(with: ["calls": .array(lines.map(CXValue.string))])
        },
        "calls-on-main": { surface, action in
            DispatchQueue.main.async {
                // An observer that was just made knows nothing yet.
                action.fulfill(with: ["calls": .integer(Int64(CXCallObserver().calls.count))])
            }
        },
    ]
}

extension Surface {
    private struct Unseen: Error {}

    /// Reports and requests calls, and looks for each call when its completion is called.
    fileprivate func seeCalls(_ count: Int64) async throws {
        for _ in 0..<count {
            let (called, calling) = (UUID(), UUID())
            try await see(called) { finish in
                provider.reportNewIncomingCall(with: called, update: CXCallUpdate(), completion: finish)
            }
            try await controller.perform(CXTransaction(action: CXEndCallAction(call: called)))
            let start = CXStartCallAction(call: calling, handle: CXHandle(type: .generic, value: "ada"))
            try await see(calling) { finish in
                controller.request(CXTransaction(action: start), completion: finish)
            }
            try await controller.perform(CXTransaction(action: CXEndCallAction(call: calling)))
        }
    }

    /// - Throws: `Unseen` if the call is not listed when `finish` is called.
    private func see(
        _ call: UUID, _ begin: (_ finish: @escaping @Sendable ((any Error)?) -> Void) -> Void
    ) async throws {
        let observer = controller.callObserver
        _ = observer.calls
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            begin { error in
                let isSeen = observer.calls.contains { $0.uuid == call }
                if let error = error ?? (isSeen ? nil : Unseen()) {
                    continuation.resume(throwing: error)
                } else {
                    continuation.resume()
                }
            }
        }
    }
}

extension CXCall {
    /// `uuid direction state hold connected ended`
    var line: String {
        let flags = [(isOnHold, "held"), (hasConnected, "connected"), (hasEnded, "ended")].filter(\.0).map(\.1)
        return ([uuid.uuidString.lowercased(), isOutgoing ? "outgoing" : "incoming", state.rawValue] + flags)
            .joined(separator: " ")
    }
}

/// Logs each change of a call, and whether it came on a wrong queue.
final class Watcher: CXCallObserverDelegate, Sendable {
    private static let key = DispatchSpecificKey<Bool>()
    private let log: Log
    private let queue = DispatchQueue(label: "org.opencallkit.surface.calls")

    init(_ log: Log) {
        self.log = log
        queue.setSpecific(key: Self.key, value: true)
    }

    private let controller = Mutex<CXCallController?>(nil)

    func watch(_ controller: CXCallController) {
        controller.callObserver.setDelegate(self, queue: queue)
        self.controller.withLock { $0 = controller }
    }

    func ignore() { controller.withLock { $0?.callObserver.setDelegate(nil, queue: nil) } }

    func callObserver(_ callObserver: CXCallObserver, callChanged call: CXCall) {
        let place = DispatchQueue.getSpecific(key: Self.key) == true ? "" : " elsewhere"
        let isLeftOver = call.hasEnded && callObserver.calls.contains { $0.uuid == call.uuid }
        log.note("changed \(call.line)\(isLeftOver ? " listed" : "")\(place)")
    }
}
