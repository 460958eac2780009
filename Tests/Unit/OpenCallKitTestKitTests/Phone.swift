// A small provider that the tests of the test kit use.

import OpenCallKit
import OpenCallKitTestKit
import Synchronization
import Testing

/// Fulfils its actions, unless it is told to keep them, and records the calls of its delegate methods.
final class Phone: CXProviderDelegate, Sendable {
    let provider: CXProvider
    private let lines = Mutex<[String]>([])
    private let kept = Mutex<[CXAction]?>(nil)
    private let isElsewhere = Mutex(false)

    init(_ name: String = "Phone", queue: DispatchQueue? = nil) {
        let configuration = CXProviderConfiguration(localizedName: name)
        configuration.supportedHandleTypes = [.generic]
        configuration.supportsAudioTranslation = true
        configuration.supportsTransfer = true
        configuration.customActions = [CXCustomButton(identifier: "greet", label: "Greet")]
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: queue)
    }

    var heard: [String] { lines.withLock { $0 } }

    /// Keeps actions without an answer from now on.
    func keepActions() { kept.withLock { $0 = [] } }

    /// Answers actions from a task from now on.
    func answersElsewhere() { isElsewhere.withLock { $0 = true } }

    /// Reports an incoming call.
    func ring(from handle: CXHandle, in host: TestHost) async throws -> TestCall {
        let (uuid, update) = (UUID(), CXCallUpdate())
        update.remoteHandle = handle
        try await provider.reportNewIncomingCall(with: uuid, update: update)
        try await host.settle()
        return try #require(host.call(uuid))
    }

    /// Reports a call that was dialed on the handset.
    func bring(_ handle: CXHandle, in host: TestHost) async throws -> TestCall {
        let (uuid, update) = (UUID(), CXCallUpdate())
        update.remoteHandle = handle
        try await provider.reportOngoingCall(
            with: uuid, isOutgoing: true, connectedAt: host.now.addingTimeInterval(-60), update: update)
        try await host.settle()
        return try #require(host.call(uuid))
    }

    /// Returns the kept actions, and answers actions again from now on.
    func takeKept() -> [CXAction] {
        kept.withLock { kept in
            defer { kept = nil }
            return kept ?? []
        }
    }

    private func take(_ action: CXAction, _ line: String) {
        lines.withLock { $0.append(line) }
        let isKept = kept.withLock { kept in
            kept?.append(action)
            return kept != nil
        }
        if isKept { return }
        if isElsewhere.withLock({ $0 }) {
            Task { action.fulfill() }
        } else {
            action.fulfill()
        }
    }

    private func note(_ line: String) { lines.withLock { $0.append(line) } }

    func providerDidBegin(_ provider: CXProvider) { note("begin") }
    func providerDidReset(_ provider: CXProvider) { note("reset") }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        take(action, "start \(action.handle.value)")
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { take(action, "answer") }
    func provider(_ provider: CXProvider, perform action: CXEndCallAction) { take(action, "end") }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        take(action, "held \(action.isOnHold)")
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        take(action, "muted \(action.isMuted)")
    }

    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
        take(action, action.callUUIDToGroupWith == nil ? "alone" : "group")
    }

    func provider(_ provider: CXProvider, perform action: CXTransferCallAction) {
        take(action, "transfer \(action.handle?.value ?? "to a call")")
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerTransferCallAction) {
        take(action, action.handle.map { "transfer to \($0.value)" } ?? "no transfer")
    }

    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        take(action, "play \(action.digits)")
    }

    func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction) {
        note("translate \(action.isTranslating) \(action.localLanguage) \(action.remoteLanguage)")
        action.fulfill(using: .custom)
    }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        action.fulfill(with: ["greeting": .string("hello \(action.arguments["name"]?.stringValue ?? "")")])
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) { note("timed out \(type(of: action))") }
    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) { note("activated") }
    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) { note("deactivated") }
}
