// TestCall: a call as the user sees it.

internal import CallCore
internal import CallModel
public import OpenCallKit

/// A call of a ``TestHost``: its present state, and what the user can do with it. It remains readable after its end.
public struct TestCall: Sendable {
    let host: TestHost
    let id: CallID

    init(_ host: TestHost, _ id: CallID) {
        self.host = host
        self.id = id
    }

    private var call: Call? { host.snapshot[id] }

    private func date(_ property: KeyPath<Call, WallTime>) -> Date? {
        call.map { $0[keyPath: property] }.flatMap { $0 == 0 ? nil : Date(wire: $0) }
    }

    /// The call's identifier, the same as in the providers.
    public var uuid: UUID { UUID(id) }

    /// The state of the call; `ended` for a call that was never created.
    public var state: CXCall.State { call.flatMap { CXCall.State(rawValue: $0.state.rawValue) } ?? .ended }

    /// The id of the call's provider.
    public var provider: String { call?.provider.rawValue ?? "" }

    /// Whether the call was started on this side.
    public var isOutgoing: Bool { call?.direction == .outgoing }

    /// The handle of the other party.
    public var handle: CXHandle? { call?.handle.map(CXHandle.init) }

    /// The party with whom the far side asks to go on; nil if it asks for no transfer.
    public var transferRequest: CXHandle? { call?.transferRequest.map(CXHandle.init) }

    /// The name to show; empty if it is unknown.
    public var callerName: String { call?.callerName ?? "" }

    /// Whether the call is on hold, or is being resumed.
    public var isOnHold: Bool { call?.isOnHold ?? false }

    /// Who held the call: `user`, `provider`, or `arbiter`, the system, for another call. Nil if it is not on hold.
    public var heldBy: String? { call?.heldBy?.rawValue }

    /// The call for which the system holds this one. Nil if it does not, or if that call has ended.
    public var heldFor: UUID? { call?.heldFor.map(UUID.init) }

    /// Whether this side is muted.
    public var isMuted: Bool { call?.muted ?? false }

    /// The languages of the translation, and the engine that translates. Nil if the call is not translated.
    public var translation: (local: String, remote: String, engine: CXTranslationEngine)? {
        call?.translation.map { translation in
            let engine: CXTranslationEngine =
                switch translation.engine {
                case .default: .default
                case .custom: .custom
                }
            return (translation.languages.local, translation.languages.remote, engine)
        }
    }

    /// Whether the call has video.
    public var hasVideo: Bool { call?.video ?? false }

    /// Whether the far side holds the call.
    public var isRemoteHeld: Bool { call?.remoteHeld ?? false }

    /// How the call rings: `audible`, `waiting` (a tone in another call) or `silent`. Nil if it does not ring.
    public var ringing: String? { call?.ringMode?.rawValue }

    /// The members of the call's group, including the call itself; empty without a group.
    public var group: [TestCall] {
        guard let group = call?.group else { return [] }
        return host.snapshot.calls.filter { $0.group == group && !$0.hasEnded }.map { TestCall(host, $0.id) }
    }

    /// What the user can do with the call now, out of `hold`, `resume`, `group`, `ungroup`, `dtmf`, `mute`,
    /// `translate`, `transfer`, `answer-transfer`, `answer`, `end`.
    public var can: [String] { call?.can.words ?? [] }

    /// Why the call ended, such as `local-ended`, `declined`, `remote-ended`, `transferred`, `timed-out`,
    /// `provider-crashed`. Nil before.
    public var endReason: String? { call?.endReason?.rawValue }

    /// Who ended the call: `user`, `remote`, `provider`, `arbiter`, `deadline`, `policy` or `system`. Nil before.
    public var endedBy: String? { call?.endedBy?.rawValue }

    /// The network's reason for the end, such as that the far side is busy. Nil before, and if the network gives none.
    public var endDetail: CXCallEndedDetails.Reason? {
        call?.endDetail.flatMap { CXCallEndedDetails.Reason(rawValue: $0.rawValue) }
    }

    /// The network's own code for the end, such as `SIP 486`; empty before, and if the network gives none.
    public var endCode: String { call?.endCode ?? "" }

    /// How far an outgoing call has come. Nil before the provider tells, and once the call is connected.
    public var progress: CXCallUpdate.Progress? {
        call?.progress.flatMap { CXCallUpdate.Progress(rawValue: $0.rawValue) }
    }

    /// The date at which the call began.
    public var dateStarted: Date? { date(\.startedAt) }

    /// The date at which the call was connected; nil before.
    public var dateConnected: Date? { date(\.connectedAt) }

    /// The date at which the call ended; nil before.
    public var dateEnded: Date? { date(\.endedAt) }
}

extension TestCall: Hashable, CustomStringConvertible {
    public static func == (one: TestCall, other: TestCall) -> Bool { one.host === other.host && one.id == other.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// The identifier, the provider and the state.
    public var description: String { "call \(id) of \(provider) \(state)" }
}

/// Each method returns when the providers have performed the actions or, with `until: .accepted`, when everything has
/// settled.
extension TestCall {
    /// Answers a ringing call. An active call is held first.
    /// - Parameters:
    ///   - endingOthers: true to end the active call instead of holding it.
    ///   - stage: how long to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func answer(
        endingOthers: Bool = false, until stage: TestHost.Stage = .performed
    ) async throws -> TestRequest {
        try await host.request([CXAnswerCallAction(call: uuid)], endingOthers: endingOthers, until: stage)
    }

    /// Ends the call, or declines it.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func end(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXEndCallAction(call: uuid)], until: stage)
    }

    /// Holds the call.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func hold(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetHeldCallAction(call: uuid, onHold: true)], until: stage)
    }

    /// Takes the call off hold. An active call is held first.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func resume(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetHeldCallAction(call: uuid, onHold: false)], until: stage)
    }

    /// Mutes this side of the call.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func mute(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetMutedCallAction(call: uuid, muted: true)], until: stage)
    }

    /// Unmutes this side of the call.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func unmute(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetMutedCallAction(call: uuid, muted: false)], until: stage)
    }

    /// Groups the call with another call of the same provider.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func group(with other: TestCall, until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: other.uuid)], until: stage)
    }

    /// Takes the call out of its group.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func ungroup(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: nil)], until: stage)
    }

    /// Connects the far side of the call with another party. The call ends as `transferred`.
    /// - Parameters:
    ///   - handle: the party that is called in our place.
    ///   - stage: how long to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func transfer(
        to handle: CXHandle, until stage: TestHost.Stage = .performed
    ) async throws -> TestRequest {
        try await host.request([CXTransferCallAction(call: uuid, to: handle)], until: stage)
    }

    /// Connects the far sides of two calls of the same provider with each other. Both calls end as `transferred`.
    /// - Parameters:
    ///   - other: the call whose far side is the other party.
    ///   - stage: how long to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func transfer(
        to other: TestCall, until stage: TestHost.Stage = .performed
    ) async throws -> TestRequest {
        try await host.request([CXTransferCallAction(call: uuid, toCall: other.uuid)], until: stage)
    }

    /// Accepts the transfer that the far side asks for. The call goes on, with the party that it named.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func acceptTransfer(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXAnswerTransferCallAction(call: uuid, accepting: transferRequest)], until: stage)
    }

    /// Declines the transfer that the far side asks for.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func declineTransfer(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXAnswerTransferCallAction(call: uuid, accepting: nil)], until: stage)
    }

    /// Sends touch tones.
    /// - Parameters:
    ///   - digits: 1 to 64 characters out of `0-9`, `A-D`, `a-d`, `*`, `#`, comma and semicolon.
    ///   - type: the source of the tones.
    ///   - stage: how long to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func play(
        _ digits: String, type: CXPlayDTMFCallAction.ActionType = .singleTone, until stage: TestHost.Stage = .performed
    ) async throws -> TestRequest {
        try await host.request([CXPlayDTMFCallAction(call: uuid, digits: digits, type: type)], until: stage)
    }

    /// Starts a translation of the call, or changes its languages.
    /// - Parameters:
    ///   - localLanguage: the tag of this side's language, such as `en-GB`.
    ///   - remoteLanguage: the tag of the far side's language.
    ///   - stage: how long to wait.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func translate(
        from localLanguage: String, to remoteLanguage: String, until stage: TestHost.Stage = .performed
    ) async throws -> TestRequest {
        try await host.request(
            [
                CXSetTranslatingCallAction(
                    call: uuid, isTranslating: true, localLanguage: localLanguage, remoteLanguage: remoteLanguage)
            ], until: stage)
    }

    /// Ends the translation of the call.
    /// - Throws: `CXErrorCodeRequestTransactionError` if the request is refused or fails; ``TestHostError``.
    @discardableResult
    public func stopTranslating(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request(
            [CXSetTranslatingCallAction(call: uuid, isTranslating: false, localLanguage: "", remoteLanguage: "")],
            until: stage)
    }
}
