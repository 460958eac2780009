// Push messages for calls, which this system does not have.

extension CXProvider {
    /// Turns a push message into an incoming call, from a notification service extension (CallKit, iOS 14.5).
    ///
    /// This system has no such extensions: a plugin, or an app that the bus starts, reports the call by
    /// `reportNewIncomingCall(with:update:completion:)`.
    /// - Parameters:
    ///   - dictionaryPayload: the message.
    ///   - completion: called on the main queue, always with the `CXErrorCodeNotificationServiceExtensionError`
    ///     `invalidClientProcess`.
    public static func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any], completion: (((any Error)?) -> Void)? = nil
    ) {
        guard let completion else { return }
        let answer = Confined(completion)
        DispatchQueue.main.async { answer.take()(noExtension) }
    }

    /// Turns a push message into an incoming call. This system has no extensions that could.
    /// - Throws: always `CXErrorCodeNotificationServiceExtensionError` `invalidClientProcess`.
    nonisolated(nonsending) public static func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any]
    ) async throws { throw noExtension }

    private static var noExtension: CXErrorCodeNotificationServiceExtensionError {
        CXErrorCodeNotificationServiceExtensionError(
            .invalidClientProcess, message: "this system has no notification service extensions")
    }
}
