// A test provider that exposes the whole SDK by custom actions, as a plugin and in an app.

public import OpenCallKit
import Synchronization

/// Each custom action does one thing and answers with the result. Calls of the delegate go into a log, which one of the
/// custom actions reads.
public final class Surface: CXProviderDelegate, Sendable {
    typealias Values = [String: CXValue]
    typealias Button = @Sendable (Surface, CXCustomAction) -> Void

    let provider: CXProvider
    let controller = CXCallController(queue: queue)
    let log = Log()
    let conduct = Conduct()
    let watcher: Watcher
    private let lastHandle = Mutex<CXHandle?>(nil)
    private static let key = DispatchSpecificKey<Bool>()
    private static let queue: DispatchQueue = {
        let queue = DispatchQueue(label: "org.opencallkit.surface")
        queue.setSpecific(key: key, value: true)
        return queue
    }()

    /// Whether the current queue is the one that the provider and the controller were given.
    static var isOnQueue: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Logs a line, and whether it came on a wrong queue.
    func note(_ line: String) { log.note(Self.isOnQueue ? line : line + " elsewhere") }

    public init() {
        let configuration = CXProviderConfiguration(localizedName: "Surface")
        configuration.supportedHandleTypes = [.generic]
        configuration.supportsAudioTranslation = true
        configuration.supportsTransfer = true
        configuration.supportsHidingNumber = true
        configuration.supportsServiceCodes = true
        configuration.customActions = Self.buttons.keys.sorted().map { CXCustomButton(identifier: $0, label: $0) }
        provider = CXProvider(configuration: configuration)
        watcher = Watcher(log)
        provider.setDelegate(self, queue: Self.queue)
    }

    static let buttons = observing.merging(requesting) { $1 }.merging(reporting) { $1 }.merging(providing) { $1 }
        .merging(failing) { $1 }.merging(comparing) { $1 }

    public func providerDidBegin(_ provider: CXProvider) { note("begin") }
    public func providerDidReset(_ provider: CXProvider) { note("reset") }

    public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool {
        guard conduct.executes(transaction) else { return false }
        note("execute \(transaction.actions.map { "\(type(of: $0))" }.joined(separator: " "))")
        for action in transaction.actions { conduct.take(action, provider) }
        return true
    }

    public func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        let last = lastHandle.withLock { last in
            defer { last = action.handle }
            return last
        }
        let again = last.map { $0.isEqual(to: action.handle) } == true ? " again" : ""
        let hidden = action.hidesNumber.map { " hidden=\($0)" } ?? ""
        note(
            "start \(action.handle) video=\(action.isVideo) contact=\(action.contactIdentifier ?? "-")\(hidden)\(again)"
        )
        conduct.take(action, of: "start", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) {
        note("answer")
        conduct.take(action, of: "answer", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        note("end \(action.reason ?? "-")")
        conduct.take(action, of: "end", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        note("set-held \(action.isOnHold)")
        conduct.take(action, of: "set-held", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
        note("set-muted \(action.isMuted)")
        conduct.take(action, of: "set-muted", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) {
        note("set-group \(action.callUUIDToGroupWith?.uuidString.lowercased() ?? "-")")
        conduct.take(action, of: "set-group", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) {
        note("play-dtmf \(action.digits) \(action.type)")
        conduct.take(action, of: "play-dtmf", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction) {
        note("set-translating \(action.isTranslating) \(action.localLanguage) \(action.remoteLanguage)")
        conduct.take(action, of: "set-translating", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXTransferCallAction) {
        note("transfer \(action.handle?.description ?? "-") \(action.otherCallUUID?.uuidString.lowercased() ?? "-")")
        conduct.take(action, of: "transfer", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXAnswerTransferCallAction) {
        note("answer-transfer \(action.handle?.description ?? "-")")
        conduct.take(action, of: "answer-transfer", provider)
    }

    public func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        guard let button = Self.buttons[action.identifier] else { return action.fail("no button \(action.identifier)") }
        guard Self.isOnQueue else { return action.fail("on another queue") }
        button(self, action)
    }

    /// Asks back after `*101#`, and never answers `*199#`.
    public func provider(_ provider: CXProvider, perform action: CXServiceCodeAction) {
        note("service-code \(action.text) reply=\(action.isReply)")
        guard action.text != "*199#" else { return }
        action.fulfill(with: "You said\n\(action.text)", asksForReply: action.text == "*101#")
    }

    public func providerDidCancelServiceCode(_ provider: CXProvider) { note("service-code cancelled") }

    public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        note("timed-out \(type(of: action)) complete=\(action.isComplete)")
    }

    public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
        note("activated \(audioSession.isGranted)")
    }

    public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        note("deactivated \(audioSession.isGranted)")
    }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt { PluginMain.run(link) { Surface() } }
