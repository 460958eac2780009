// A delegate that records its actions and answers them as the test chooses.

import EventLoop
import OpenCallKit
import Synchronization
import TestSupport

/// A call of the delegate.
enum Asked: Sendable {
    case begin, reset
    case execute(CXTransaction)
    case perform(CXAction)
    case timedOut(CXAction)
    case activated, deactivated
}

final class RecordingDelegate: CXProviderDelegate {
    let asked: Inbox<Asked>
    /// Answers an action, on the delegate's queue.
    private let onPerform: @Sendable (CXAction) -> Void
    private let executes: Bool
    private let onDeactivate: @Sendable () -> Void

    init(
        _ asked: Inbox<Asked>, executes: Bool = false, onDeactivate: @escaping @Sendable () -> Void = {},
        onPerform: @escaping @Sendable (CXAction) -> Void = { _ in }
    ) {
        self.asked = asked
        self.executes = executes
        self.onDeactivate = onDeactivate
        self.onPerform = onPerform
    }

    private func note(_ event: Asked) {
        Loop.shared.post { [asked] in asked.put(event) }
    }

    private func note(_ action: CXAction) {
        note(.perform(action))
        onPerform(action)
    }

    func providerDidBegin(_ provider: CXProvider) { note(.begin) }
    func providerDidReset(_ provider: CXProvider) { note(.reset) }

    func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool {
        note(.execute(transaction))
        return executes
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction) { note(action) }
    func provider(_ provider: CXProvider, perform action: CXCustomAction) { note(action) }
    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) { note(.timedOut(action)) }
    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note(.activated) }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        onDeactivate()
        note(.deactivated)
    }
}

/// A delegate that implements only the required method.
final class MinimalDelegate: CXProviderDelegate, Sendable {
    func providerDidReset(_ provider: CXProvider) {}
}

extension Inbox<Asked> {
    /// The next action to be performed.
    func action() async throws -> CXAction {
        while true {
            if case .perform(let action) = try await next() { return action }
        }
    }

    func timedOut() async throws -> CXAction {
        while true {
            if case .timedOut(let action) = try await next() { return action }
        }
    }

    func reset() async throws {
        while true {
            if case .reset = try await next() { return }
        }
    }
}
