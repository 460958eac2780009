// CXAnswerCallAction: take a call that rings.

internal import CallModel

/// Answers an incoming call (CallKit: CXAnswerCallAction). Fulfil it when the two sides can talk.
public final class CXAnswerCallAction: CXCallAction, @unchecked Sendable {
    /// Says that the two sides could talk from `dateConnected` on.
    public func fulfill(withDateConnected dateConnected: Date) { fulfill(at: dateConnected) }

    override func model() throws(CallError) -> CallAction { .answer(CallID(callUUID)) }

    override func perform(by delegate: any CXProviderDelegate, of provider: CXProvider) {
        delegate.provider(provider, perform: self)
    }
}
