// Calls that come as push messages.

extension CXProvider {
    /// Turns a push message into an incoming call, from a notification service extension (CallKit, iOS 14.5).
    ///
    /// There are no such extensions here: a process that is to be woken for a call is a plugin or a service of the bus, and
    /// reports the call by `reportNewIncomingCall(with:update:completion:)`.
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

    /// Turns a push message into an incoming call. There are no extensions here that could.
    /// - Throws: always the `CXErrorCodeNotificationServiceExtensionError` `invalidClientProcess`.
    nonisolated(nonsending) public static func reportNewIncomingVoIPPushPayload(
        _ dictionaryPayload: [AnyHashable: Any]
    ) async throws { throw noExtension }

    private static var noExtension: CXErrorCodeNotificationServiceExtensionError {
        CXErrorCodeNotificationServiceExtensionError(
            .invalidClientProcess, message: "this process is no notification service extension, there are none here")
    }
}
