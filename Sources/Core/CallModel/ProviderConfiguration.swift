// What a provider declares about itself: CXProviderConfiguration as a plain value.

/// A provider's own button, sent straight to it.
public struct CustomAction: Sendable, Hashable {
    public var id: String
    public var label: String
    /// A name of the freedesktop icon naming specification, or an absolute file name; empty means none.
    public var icon: String
    /// Whether it makes sense only during a call of the provider.
    public var isForCalls: Bool

    public init(id: String, label: String, icon: String = "", isForCalls: Bool = false) {
        (self.id, self.label, self.icon, self.isForCalls) = (id, label, icon, isForCalls)
    }
}

/// Whether a provider can take calls now.
public enum Availability: String, Sendable, Hashable, CaseIterable {
    case online, connecting, offline, unauthorized
    case emergencyOnly = "emergency-only"
}

/// How a provider's network holds calls.
public enum HoldModel: String, Sendable, Hashable, CaseIterable {
    /// Each call by itself.
    case perCall = "per-call"
    /// Only by exchanging the active call with the held one, as mobile networks do (3GPP TS 22.030).
    case swap
}

/// A provider's declaration; the defaults are CallKit's.
public struct ProviderConfiguration: Sendable, Hashable {
    public var localizedName = ""
    public var supportedHandleTypes: [HandleType] = []
    /// The URI schemes that it takes, in lower case, such as `sip`.
    public var supportedSchemes: [String] = []
    /// The scheme of its own network; nil if it declares none that nobody else knows, or several.
    public var ownScheme: String? {
        let own = supportedSchemes.filter { !DialString.knownSchemes.contains($0) }
        return own.count == 1 ? own[0] : nil
    }
    /// Tells this provider from the other ones of its plugin; empty means that the order of registration does.
    public var key = ""
    public var availability = Availability.online
    /// One sentence about the availability, for people; empty means none.
    public var status = ""
    public var holdModel = HoldModel.perCall
    /// The desktop file of the app that belongs to it, without `.desktop`; empty means none.
    public var desktopEntry = ""
    public var supportsTransfer = false
    public var supportsVideo = false
    /// It can hide and show the user's own number for one call.
    public var supportsHidingNumber = false
    /// It sends service codes such as `*100#`.
    public var supportsServiceCodes = false
    /// Its calls can be translated.
    public var supportsAudioTranslation = false
    /// Lone calls count as groups; 0 refuses every call.
    public var maximumCallGroups: UInt32 = 2
    public var maximumCallsPerCallGroup: UInt32 = 5
    public var includesCallsInRecents = true
    /// A file name in the provider's resource directory, or an absolute one; empty means the system's ringtone.
    public var ringtoneSound = ""
    /// PNG data, square, used as a mask; empty means none.
    public var iconTemplateImage: [UInt8] = []
    public var customActions: [CustomAction] = []
    /// The numbers with which it reaches the emergency services.
    public var emergencyNumbers: [String] = []

    public init() {}
}
