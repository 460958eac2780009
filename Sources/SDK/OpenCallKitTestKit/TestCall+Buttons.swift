// The buttons beside a call.

public import OpenCallKit

/// Each returns when the providers have done what they were asked or, with `until: .accepted`, when everything has settled.
extension TestCall {
    /// Takes a call that rings. An active call is put on hold for it.
    /// - Parameters:
    ///   - endingOthers: ends the active call instead.
    ///   - stage: how far it is to be when this returns.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func answer(
        endingOthers: Bool = false, until stage: TestHost.Stage = .performed
    ) async throws -> TestRequest {
        try await host.request([CXAnswerCallAction(call: uuid)], endingOthers: endingOthers, until: stage)
    }

    /// Hangs up, or declines.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func end(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXEndCallAction(call: uuid)], until: stage)
    }

    /// Puts it on hold.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func hold(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetHeldCallAction(call: uuid, onHold: true)], until: stage)
    }

    /// Takes it back from hold. An active call is put on hold for it.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func resume(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetHeldCallAction(call: uuid, onHold: false)], until: stage)
    }

    /// Turns the microphone off.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func mute(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetMutedCallAction(call: uuid, muted: true)], until: stage)
    }

    /// Turns the microphone on.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func unmute(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetMutedCallAction(call: uuid, muted: false)], until: stage)
    }

    /// Joins it with another call of the same provider.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func group(with other: TestCall, until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: other.uuid)], until: stage)
    }

    /// Has it leave its group.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func ungroup(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request([CXSetGroupCallAction(call: uuid, callUUIDToGroupWith: nil)], until: stage)
    }

    /// Sends touch tones.
    /// - Parameters:
    ///   - digits: 1 to 64 characters out of `0-9`, `A-D`, `a-d`, `*`, `#`, comma and semicolon.
    ///   - type: whether they were typed, or are what follows a pause.
    ///   - stage: how far it is to be when this returns.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func play(
        _ digits: String, type: CXPlayDTMFCallAction.ActionType = .singleTone, until stage: TestHost.Stage = .performed
    ) async throws -> TestRequest {
        try await host.request([CXPlayDTMFCallAction(call: uuid, digits: digits, type: type)], until: stage)
    }

    /// Has it translated, or translated otherwise.
    /// - Parameters:
    ///   - localLanguage: the tag of this side's language, such as `en-GB`.
    ///   - remoteLanguage: that of the far side's.
    ///   - stage: how far it is to be when this returns.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
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

    /// Ends its translation.
    /// - Throws: `CXErrorCodeRequestTransactionError` if it was refused or has failed; ``TestHostError``.
    @discardableResult
    public func stopTranslating(until stage: TestHost.Stage = .performed) async throws -> TestRequest {
        try await host.request(
            [CXSetTranslatingCallAction(call: uuid, isTranslating: false, localLanguage: "", remoteLanguage: "")],
            until: stage)
    }
}
