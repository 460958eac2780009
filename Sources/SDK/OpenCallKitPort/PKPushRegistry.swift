// PKPushRegistry: an app's registration for push messages, which Linux does not have.

/// An app's registration for push messages (PushKit: PKPushRegistry). Linux has no push service: it behaves as on a
/// device where registering does not succeed. No token arrives and the delegate is not called.
///
/// A plugin runs all the time and keeps its own connection to its network. To reuse the code for push messages, pass
/// what arrives there to the delegate's own method, as a ``PKPushPayload``.
open class PKPushRegistry {
    /// The delegate, which is referenced weakly. It is never called by the system.
    public weak var delegate: (any PKPushRegistryDelegate)?
    /// The types of messages that the app wants. The value is stored and has no effect.
    public var desiredPushTypes: Set<PKPushType>?

    /// Creates a registration.
    /// - Parameter queue: the queue of the delegate, which is not used.
    public init(queue: DispatchQueue?) {}

    /// Returns nil, as on a device that has not received a token.
    public func pushToken(for type: PKPushType) -> Data? { nil }
}

/// Receives an app's tokens and push messages (PushKit: PKPushRegistryDelegate). The system calls none of these methods;
/// the app may.
public protocol PKPushRegistryDelegate: AnyObject {
    /// Tells the delegate about a new token. Never called: no token arrives.
    func pushRegistry(_ registry: PKPushRegistry, didUpdate pushCredentials: PKPushCredentials, for type: PKPushType)

    /// Passes a message to the delegate. Never called by the system. Optional.
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void)

    /// Passes a message to the delegate, as before iOS 11. Never called by the system. Optional.
    func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType)

    /// Tells the delegate that a token is invalid. Never called: no token arrives. Optional.
    func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType)
}

extension PKPushRegistryDelegate {
    /// Calls `completion`.
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType,
        completion: @escaping () -> Void
    ) { completion() }

    /// Does nothing.
    public func pushRegistry(
        _ registry: PKPushRegistry, didReceiveIncomingPushWith payload: PKPushPayload, for type: PKPushType
    ) {}

    /// Does nothing.
    public func pushRegistry(_ registry: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {}
}
