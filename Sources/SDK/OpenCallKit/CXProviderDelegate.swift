// CXProviderDelegate: the methods that perform a provider's actions.

/// Performs a provider's actions (CallKit: CXProviderDelegate). Every method is called on the queue given to
/// `setDelegate(_:queue:)`.
///
/// Only `providerDidReset(_:)` is required. An action whose method is missing fails at once as not supported; in
/// CallKit it would time out.
public protocol CXProviderDelegate: AnyObject {
    /// Resets the provider: end all calls on the network, report nothing, and do not answer pending actions. A plugin
    /// gets this before its process ends, for whatever reason, and lives for half a second after it if it had calls.
    func providerDidReset(_ provider: CXProvider)

    /// Tells the delegate that the provider is registered and can take calls.
    func providerDidBegin(_ provider: CXProvider)

    /// Performs a whole transaction, or leaves its actions to the methods for their kinds. Called once for each
    /// transaction, before those methods.
    ///
    /// `transaction` has all the actions of this provider, in order: the requested ones, and the holds and ends that
    /// make room for them. Actions of other providers are not included. The system accepts the answers one after
    /// another, since each action may depend on a call of another provider; an early answer is kept until its action's
    /// turn. If the transaction fails before that, because an action failed or another provider's call could not be
    /// held, every remaining action has failed, whatever its answer, and the delegate gets
    /// `provider(_:timedOutPerforming:)` for it. Actions that then restore a call, and unforeseen actions, come in a
    /// transaction of their own.
    /// - Returns: true if the delegate performs these actions itself, now or later; false, the default, to get each of
    ///   them in the method for its kind.
    func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool

    /// Starts a call to `action.handle`. Fulfill the action when the network has accepted the call, then report the call
    /// connecting and connected. A call in the way has already been held or ended. Default: fails the action.
    func provider(_ provider: CXProvider, perform action: CXStartCallAction)
    /// Answers a call. Fulfill the action when the call is connected. A call in the way has already been held or ended.
    /// Default: fails the action.
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
    /// Ends a call, declines a ringing one, or cancels one that is being started. The call ends for the system even if
    /// the action fails. Default: fails the action.
    func provider(_ provider: CXProvider, perform action: CXEndCallAction)
    /// Holds or resumes a call. Fulfill the action when the far side has been informed. A call of another provider may
    /// be waiting for it. Default: fails the action.
    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
    /// Mutes or unmutes this side of a call. Default: fails the action.
    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
    /// Joins a call with another one of this provider and resumes all members; or takes it out of its group and holds
    /// the rest of the group. Default: fails the action.
    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
    /// Sends tones. Fulfill the action when they have been sent. Default: fails the action.
    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
    /// Starts or ends the translation of a call. Fulfill the action with the engine that translates. Default: fails the
    /// action.
    func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction)
    /// Connects the far side of a call with another party. Default: fails the action. Not in CallKit.
    func provider(_ provider: CXProvider, perform action: CXTransferCallAction)
    /// Accepts or declines the transfer that the far side asks for. Default: fails the action. Not in CallKit.
    func provider(_ provider: CXProvider, perform action: CXAnswerTransferCallAction)
    /// Performs a custom action: a client pressed one of the provider's own buttons. Default: fails the action. Not in
    /// CallKit.
    func provider(_ provider: CXProvider, perform action: CXCustomAction)
    /// Sends a service code to the network, or the user's reply in the exchange that it began, and fulfills the action with
    /// what the network says. Only for a provider whose configuration has `supportsServiceCodes`. A network may take a
    /// minute: go on with calls meanwhile. Default: fails the action. Not in CallKit.
    func provider(_ provider: CXProvider, perform action: CXServiceCodeAction)
    /// Tells the delegate to end the exchange with the network: the user gives up, or has let it wait for too long. Fail the
    /// action that is under way; its answer is ignored. The next exchange may begin at once. Not in CallKit.
    func providerDidCancelServiceCode(_ provider: CXProvider)

    /// Tells the delegate that an action has failed, since its deadline has passed. After a start, an answer or an end,
    /// its call has ended too.
    ///
    /// Also called for an action that the delegate accepted in `provider(_:execute:)` and whose turn did not come,
    /// because the transaction failed before: the state of its call has not changed, and the delegate must undo what it
    /// has done.
    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)

    /// Tells the delegate that it has the audio: play and record from now on, and never earlier.
    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)

    /// Tells the delegate to stop playing and recording. The next provider gets the audio when this method returns.
    func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
}

extension CXProviderDelegate {
    public func providerDidBegin(_ provider: CXProvider) {}
    public func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool { false }
    public func provider(_ provider: CXProvider, perform action: CXStartCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXTransferCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXAnswerTransferCallAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXCustomAction) { action.refuse() }
    public func provider(_ provider: CXProvider, perform action: CXServiceCodeAction) { action.refuse() }
    public func providerDidCancelServiceCode(_ provider: CXProvider) {}
    public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
    public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
    public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}
