// CXAnswerCallAction: answers an incoming call.

internal import CallModel

/// Answers an incoming call (CallKit: CXAnswerCallAction). Fulfill it when the call is connected.
public final class CXAnswerCallAction: CXCallAction, @unchecked Sendable {
    /// Reports that the call was connected at `dateConnected`.
    public func fulfill(withDateConnected dateConnected: Date) { fulfill(at: dateConnected) }

    override func model() throws(CallError) -> CallAction { .answer(CallID(callUUID)) }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
