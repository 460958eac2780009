// What an outgoing call is to be: CXStartCallAction without its call.

/// Whom to call, and how.
public struct StartRequest: Sendable, Hashable {
    public var handle: Handle
    /// Nil for the first provider by id that takes the handle's type.
    public var provider: ProviderID?
    public var video: Bool
    /// The contact that is called; empty for none.
    public var contact: String
    /// The digits to send as DTMF after the call has connected, as in `CallAction.playDTMF`; empty for none.
    public var postDial: String

    public init(
        _ handle: Handle, provider: ProviderID? = nil, video: Bool = false, contact: String = "", postDial: String = ""
    ) {
        self.handle = handle
        self.provider = provider
        self.video = video
        self.contact = contact
        self.postDial = postDial
    }
}
