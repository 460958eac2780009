// What the user can do with a call.

public import OpenCallKit

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
