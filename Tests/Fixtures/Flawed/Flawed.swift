// A test plugin with one flaw, which the environment variable FLAW names.

import Dispatch
import Glibc
import OpenCallKit

/// The flaws. `callctl certify` finds each of them at the points that the tests name.
enum Flaw: String {
    case neverAnswers = "never-answers"
    case answersTwice = "answers-twice"
    case answersNobody = "answers-nobody"
    case answersLate = "answers-late"
    case crashesOnHold = "crashes-on-hold"
    case refusesHold = "refuses-hold"
    case promisesTranslation = "promises-translation"
    case promisesTransfer = "promises-transfer"
    case keepsTransferredCalls = "keeps-transferred-calls"
    case reportsTransferredCalls = "reports-transferred-calls"
    case endsBeforeTransferring = "ends-before-transferring"
    case losesWhatItCannotTransfer = "loses-what-it-cannot-transfer"
    case neverTransfers = "never-transfers"
    case hidesTransferRequests = "hides-transfer-requests"
    case transfersUnasked = "transfers-unasked"
    case transfersTheDeclined = "transfers-the-declined"
    case keepsTheOldParty = "keeps-the-old-party"
    case endsWhatGoesOn = "ends-what-goes-on"
    case promisesToGoOn = "promises-to-go-on"
    case neverGoesOn = "never-goes-on"
    case exchangesHalf = "exchanges-half"
    case exchangesAgain = "exchanges-again"
    case exchangesApart = "exchanges-apart"
    case forgetsOngoingCalls = "forgets-ongoing-calls"
    case reusesOngoingCalls = "reuses-ongoing-calls"
    case hidesOngoingCallers = "hides-ongoing-callers"
    case hangsOnStart = "hangs-on-start"
    case neverConnects = "never-connects"
    case believesAll = "believes-all"
    case goesOnRefused = "goes-on-refused"
    case ignoresReset = "ignores-reset"
    case reportsAfterReset = "reports-after-reset"
    case keepsAudio = "keeps-audio"
    case opensAudioEarly = "opens-audio-early"
    case crashesOnButton = "crashes-on-button"
    case reportsEndedCalls = "reports-ended-calls"
    case reportsNonsense = "reports-nonsense"
    case leaksMemory = "leaks-memory"
    case leaksDescriptors = "leaks-descriptors"
    case hangsAtTheEnd = "hangs-at-the-end"
    case hangsWhenAborted = "hangs-when-aborted"
    case crashesWhenAborted = "crashes-when-aborted"
    case leavesAChild = "leaves-a-child"
    case liesInItsConfiguration = "lies-in-its-configuration"
    case ignoresAccounts = "ignores-accounts"
    case neverConnectsAccounts = "never-connects-accounts"
    case hidesRefusals = "hides-refusals"
    /// Its provider is online though the network refuses the account.
    case sellsRefused = "sells-refused"
    case hangsWhenRemoved = "hangs-when-removed"
    case keepsRemovedAccounts = "keeps-removed-accounts"
    case tellsItsSecret = "tells-its-secret"
    case ignoresItsNetwork = "ignores-its-network"
    case staysOffline = "stays-offline"
    case waitsForItsNetwork = "waits-for-its-network"
    case adoptsInName = "adopts-in-name"
    case locksItselfOut = "locks-itself-out"
    case neverSaysHello = "never-says-hello"
    case exitsAtOnce = "exits-at-once"
    /// No flaw: see `Doorbell`.
    case isADoorbell = "is-a-doorbell"
    /// Unusual, but not flaws.
    case exchangesItsCalls = "exchanges-its-calls"
    case refusesTransfers = "refuses-transfers"
    case reachesNobody = "reaches-nobody"
    case adoptsCalls = "adopts-calls"
    case bringsCallsAlong = "brings-calls-along"
    case floodsItsOutput = "floods-its-output"

    static let ordered = getenv("OPENCALLKIT_FLAW").flatMap { Flaw(rawValue: String(cString: $0)) }
}

func has(_ flaw: Flaw) -> Bool { Flaw.ordered == flaw }

@MainActor
final class Flawed {
    let provider: CXProvider
    var calls: Set<UUID> = [] { didSet { rememberCalls() } }
    private var network: (any DispatchSourceRead)?
    private(set) var lastCall = UUID()
    /// The party of the last transfer that the far side asked for.
    var lastParty: CXHandle?
    private var leak: [[UInt64]] = []
    /// The link to the host, for messages that the SDK would not send.
    nonisolated static let link = Link()

    /// - Parameter key: that of an account; nil without one.
    init(key: String? = nil) {
        let configuration = CXProviderConfiguration(localizedName: "Flawed")
        configuration.key = key
        configuration.supportedHandleTypes = has(.liesInItsConfiguration) ? [] : [.generic]
        configuration.supportsAudioTranslation = true
        configuration.supportsTransfer = true
        configuration.holdModel = Self.exchangesCalls ? .swap : .perCall
        configuration.customActions = [
            CXCustomButton(identifier: "simulate-incoming", label: "Receive a call"),
            CXCustomButton(identifier: "simulate-ongoing", label: "Dial on the handset"),
            CXCustomButton(identifier: "simulate-transfer-request", label: "Ask for a transfer"),
        ]
        if has(.liesInItsConfiguration) {
            configuration.ringtoneSound = "/nonexistent/ringtone.wav"
            configuration.iconTemplateImageData = Data(Array("no picture".utf8))
        }
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
        network = Surroundings.present?.watch { [weak self] in self?.networkChanged() }
        if has(.leavesAChild) {
            var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("1000"), nil]
            var child: pid_t = 0
            posix_spawn(&child, "/bin/sleep", nil, nil, &arguments, environ)
            for argument in arguments { free(argument) }
        }
    }

    var hasCalls: Bool { !calls.isEmpty }

    func answer(_ action: CXCallAction, _ fulfil: () -> Void) {
        guard calls.contains(action.callUUID) || has(.believesAll) else {
            action.fail()
            return
        }
        fulfil()
    }

    func began(_ uuid: UUID) {
        calls.insert(uuid)
        lastCall = uuid
        if has(.leaksMemory) { leak.append(Array(repeating: 1, count: 1_024)) }
        if has(.leaksDescriptors) { _ = open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }
}

extension Flawed: @MainActor CXProviderDelegate {
    func providerDidBegin(_ provider: CXProvider) {
        if has(.bringsCallsAlong) { bringCallAlong() }
        adoptCall()
    }

    func providerDidReset(_ provider: CXProvider) {
        if has(.reportsAfterReset) {
            for uuid in calls { provider.reportCall(with: uuid, endedAt: nil, reason: .failed) }
        }
        if !has(.ignoresReset) { calls = [] }
    }

    func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        if has(.neverAnswers) || waitsForNetwork { return }
        if has(.hangsOnStart) { while true { pause() } }
        if has(.answersLate) {
            let interval = action.timeoutDate.timeIntervalSince1970 - Date().timeIntervalSince1970 + 0.05
            DispatchQueue.main.asyncAfter(deadline: .now() + interval) { action.fulfill() }
            return
        }
        began(action.callUUID)
        action.fulfill()
        if has(.opensAudioEarly) { Self.openAudio() }
        if has(.answersTwice) { action.fulfill() }
        if has(.answersNobody) { Self.link.answerNobody() }
        if has(.reportsNonsense) { provider.reportCall(with: UUID(), endedAt: nil, reason: .failed) }
        if !has(.neverConnects) { provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil) }
    }

    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { answer(action) { action.fulfill() } }

    func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        answer(action) {
            calls.remove(action.callUUID)
            action.fulfill()
            if has(.reportsEndedCalls) {
                for _ in 0..<3 { provider.reportCall(with: action.callUUID, updated: CXCallUpdate()) }
            }
        }
    }

    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
        answer(action) {
            if has(.crashesOnHold) { UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1 }
            if has(.refusesHold) { action.fail() } else { hold(action) }
        }
    }

    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { answer(action) { action.fulfill() } }
    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { answer(action) { action.fulfill() } }
    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { answer(action) { action.fulfill() } }

    func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction) {
        answer(action) { if has(.promisesTranslation) { action.fail() } else { action.fulfill(using: .custom) } }
    }

    func provider(_ provider: CXProvider, perform action: CXTransferCallAction) { answer(action) { transfer(action) } }

    func provider(_ provider: CXProvider, perform action: CXAnswerTransferCallAction) {
        answer(action) { answerRequest(action) }
    }

    func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        if has(.crashesOnButton) { abort() }
        guard let handle = action.arguments["handle"]?.stringValue else {
            action.fail("whose call?")
            return
        }
        let party = CXHandle(type: .generic, value: handle)
        if action.identifier == "simulate-transfer-request" { return beAsked(party, action) }
        let uuid = UUID()
        let update = CXCallUpdate()
        update.remoteHandle = party
        if action.identifier == "simulate-ongoing" { return beOngoing(uuid, update, action) }
        if has(.goesOnRefused) { began(uuid) }
        provider.reportNewIncomingCall(with: uuid, update: update) { [self] error in
            if error == nil { began(uuid) }
            if error == nil { action.fulfill() } else { action.fail("the call was refused") }
        }
    }

    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {
        if let action = action as? CXCallAction { calls.remove(action.callUUID) }
    }

    /// Connects to the sound server.
    static func openAudio() {
        guard let server = getenv("PULSE_SERVER").map({ String(cString: $0) }), server.hasPrefix("unix:") else {
            return
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: server.dropFirst(5).utf8) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(descriptor)
    }

    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
        if has(.keepsAudio) { while true { pause() } }
    }
}

@c(opencallkit_plugin_main) public func pluginMain(_ link: CInt) -> CInt {
    Flawed.link.open(link)
    if has(.exitsAtOnce) { return 7 }
    if has(.neverSaysHello) { while true { pause() } }
    if has(.locksItselfOut), Surroundings.hasCall {
        Surroundings.hasCall = false
        return 7
    }
    let plugin = Kept()
    if has(.isADoorbell) { return PluginMain.run(link) { Doorbell() } }
    if has(.floodsItsOutput) {
        let line = Array(repeating: UInt8(ascii: "x"), count: 1_000) + [UInt8(ascii: "\n")]
        DispatchQueue.global().async { while write(STDOUT_FILENO, line, line.count) > 0 {} }
    }
    let code = PluginMain.run(link) { plugin.keep((Flawed(), Branches())) }
    // Calls that the host has not ended are over, as it is told of their worker's end.
    Surroundings.hasCall = false
    if has(.hangsAtTheEnd) { while true { pause() } }
    if has(.hangsWhenAborted), plugin.hasCalls { while true { pause() } }
    if has(.crashesWhenAborted), plugin.hasCalls { abort() }
    return code
}
