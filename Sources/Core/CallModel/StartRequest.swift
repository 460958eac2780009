// The properties of a call that is to be started: CXStartCallAction without its call.

/// Whom to call, and how.
public struct StartRequest: Sendable, Hashable {
    public var handle: Handle
    /// Nil if the call system chooses.
    public var provider: ProviderID?
    /// The provider of the favorite, or of the last call with this handle: chosen before others if it can take the call.
    public var preferred: ProviderID?
    /// The scheme of the URI that is called, such as `sip`, in lower case; empty if none was given.
    public var scheme = ""
    public var video: Bool
    /// The contact that is called; empty for none.
    public var contact: String
    /// The digits to send as DTMF after the call has connected, as in `CallAction.playDTMF`; empty for none. Those behind a
    /// semicolon wait until the user says that they are to be sent.
    public var postDial: String
    /// Whether the far side is not to see the number of this side; nil = as the network does it for others.
    public var hidesNumber: Bool?

    public init(
        _ handle: Handle, provider: ProviderID? = nil, video: Bool = false, contact: String = "", postDial: String = ""
    ) {
        self.handle = handle
        self.provider = provider
        self.video = video
        self.contact = contact
        self.postDial = postDial
    }

    /// What a text or a handle was read as.
    public init(_ dialed: DialString) {
        self.init(dialed.handle, postDial: dialed.postDial)
        (scheme, hidesNumber) = (dialed.scheme, dialed.hidesNumber)
    }
}
