// CXProviderDelegate: what the system asks of a provider.

/// The one who does a provider's work (CallKit: CXProviderDelegate). Every method is called on the queue given to
/// `setDelegate(_:queue:)`.
///
/// Only `providerDidReset(_:)` must be there. An action whose method is missing fails at once, as not supported; CallKit
/// would let it time out, and whoever asked for it wait for that.
public protocol CXProviderDelegate: AnyObject {
    /// Forget everything: end all calls on the network, report nothing, answer no action that is still open.
    func providerDidReset(_ provider: CXProvider)

    /// The provider is registered and can take calls.
    func providerDidBegin(_ provider: CXProvider)

    /// Asked once for each transaction, before anything of it is handed to the methods for the kinds of action.
    ///
    /// `transaction` has all that this provider is to do for it, in order: what was asked for, and holds and ends that make
    /// room for that; actions of other providers are not in it. The system takes them in one after another, as each can
    /// depend on what is in the way of a call elsewhere. What you say of an action before its turn is kept until then. If
    /// the system gives up before, because an action failed or another provider's call did not give way, each action that
    /// is left has failed, whatever you said of it, and you get `provider(_:timedOutPerforming:)` for it. What restores a
    /// call after that, and what nobody could foresee, is a transaction of its own.
    /// - Returns: true if the delegate deals with these actions itself, here or later, and wants none of them one by one;
    ///   default false.
    func provider(_ provider: CXProvider, execute transaction: CXTransaction) -> Bool

    /// Send the call on its way to `action.handle`, fulfil the action when that is done, then report the call
    /// connecting and connected. Whatever was in the way is on hold by now. Default: refused.
    func provider(_ provider: CXProvider, perform action: CXStartCallAction)
    /// Take the call, and fulfil the action when the two sides can talk. Whatever was in the way is on hold by now.
    /// Default: refused.
    func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
    /// Hang up, decline, or give up a call that is being started, and fulfil the action. The call is over for the
    /// system even if the action fails. Default: refused.
    func provider(_ provider: CXProvider, perform action: CXEndCallAction)
    /// Hold the call or take it off hold, and fulfil the action when the far side has been told. Somebody else's call
    /// may be waiting for it. Default: refused.
    func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
    /// Send no sound, or send it again. Default: refused.
    func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
    /// Join the call with another of this provider's, and take all members off hold; or let it out of its group, and
    /// hold those who stay. Default: refused.
    func provider(_ provider: CXProvider, perform action: CXSetGroupCallAction)
    /// Send the tones, and fulfil the action when they have been sent. Default: refused.
    func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction)
    /// Begin to translate what is said, or end that, and fulfil the action with who does it. Default: refused.
    func provider(_ provider: CXProvider, perform action: CXSetTranslatingCallAction)
    /// Somebody pressed a button of the provider's own. Not in CallKit.
    func provider(_ provider: CXProvider, perform action: CXCustomAction)

    /// The deadline of an action has passed: it has failed. After a start, an answer or an end its call is over, too.
    ///
    /// Also told of an action that the delegate took on in `provider(_:execute:)` and whose turn did not come, because the
    /// transaction had failed before: its call is as it was, and what you have done already is to be undone.
    func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)

    /// The audio is yours: play and record from now on, and never earlier.
    func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)

    /// Stop playing and recording. The next provider gets the audio when this method has returned.
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
    public func provider(_ provider: CXProvider, perform action: CXCustomAction) { action.refuse() }
    public func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) {}
    public func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {}
    public func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {}
}
