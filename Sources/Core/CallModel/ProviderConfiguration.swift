// What a provider declares about itself: CXProviderConfiguration as a plain value.

/// A provider's own button, sent straight to it.
public struct CustomAction: Sendable, Hashable {
    public var id: String
    public var label: String

    public init(id: String, label: String) {
        self.id = id
        self.label = label
    }
}

/// A provider's declaration; the defaults are CallKit's.
public struct ProviderConfiguration: Sendable, Hashable {
    public var localizedName = ""
    public var supportedHandleTypes: [HandleType] = []
    public var supportsVideo = false
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
    /// The emergency numbers of a provider that declares none; they count only if it takes phone numbers.
    public static let defaultEmergencyNumbers = ["112", "911"]
    /// Nil means `defaultEmergencyNumbers`.
    public var emergencyNumbers: [String]?

    public init() {}

    public func isEmergency(_ handle: Handle) -> Bool {
        guard handle.type == .phoneNumber else { return false }
        if let emergencyNumbers { return emergencyNumbers.contains(handle.value) }
        return supportedHandleTypes.contains(.phoneNumber) && Self.defaultEmergencyNumbers.contains(handle.value)
    }
}
