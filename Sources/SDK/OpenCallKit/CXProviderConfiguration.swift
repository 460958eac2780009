// CXProviderConfiguration: a provider's name, limits and capabilities.

internal import CallModel

/// A provider's name, limits and capabilities (CallKit: CXProviderConfiguration). The provider copies it; to change it
/// later, set the provider's `configuration`.
public final class CXProviderConfiguration {
    var model: ProviderConfiguration

    /// Creates a configuration with the name of the plugin or program, and default values.
    public init() { model = ProviderConfiguration() }

    /// Creates a configuration with a name.
    /// - Parameter localizedName: the name to show; 256 characters are kept.
    public init(localizedName: String) {
        model = ProviderConfiguration()
        model.localizedName = localizedName
    }

    init(_ model: ProviderConfiguration) { self.model = model }

    /// The name to show; 256 characters are kept. Nil means the name of the plugin or program.
    public var localizedName: String? {
        get { model.localizedName.isEmpty ? nil : model.localizedName }
        set { model.localizedName = newValue ?? "" }
    }

    /// The file name of a sound in the plugin's resources, or an absolute path. Nil means the system's ringtone.
    public var ringtoneSound: String? {
        get { model.ringtoneSound.isEmpty ? nil : model.ringtoneSound }
        set { model.ringtoneSound = newValue ?? "" }
    }

    /// A square PNG with a side of 40 points and at most 64 KiB. Only its alpha channel is used.
    public var iconTemplateImageData: Data? {
        get { model.iconTemplateImage.isEmpty ? nil : Data(model.iconTemplateImage) }
        set { model.iconTemplateImage = newValue.map(Array.init) ?? [] }
    }

    /// The maximum number of call groups; default 2. A lone call counts as a group; 0 allows no calls.
    public var maximumCallGroups: Int {
        get { Int(model.maximumCallGroups) }
        set { model.maximumCallGroups = UInt32(clamping: newValue) }
    }

    /// The maximum number of calls in a group; default 5.
    public var maximumCallsPerCallGroup: Int {
        get { Int(model.maximumCallsPerCallGroup) }
        set { model.maximumCallsPerCallGroup = UInt32(clamping: newValue) }
    }

    /// Whether recents include the provider's calls; default true.
    public var includesCallsInRecents: Bool {
        get { model.includesCallsInRecents }
        set { model.includesCallsInRecents = newValue }
    }

    /// Whether calls can have video; default false.
    public var supportsVideo: Bool {
        get { model.supportsVideo }
        set { model.supportsVideo = newValue }
    }

    /// Whether the provider's calls can be translated; default false. If true, the delegate gets
    /// `CXSetTranslatingCallAction`.
    public var supportsAudioTranslation: Bool {
        get { model.supportsAudioTranslation }
        set { model.supportsAudioTranslation = newValue }
    }

    /// The types of handles that the provider can call.
    public var supportedHandleTypes: Set<CXHandle.HandleType> {
        get { Set(model.supportedHandleTypes.map(CXHandle.HandleType.init)) }
        set { model.supportedHandleTypes = newValue.sorted { $0.rawValue < $1.rawValue }.map(\.model) }
    }

    /// The URI schemes that the provider can call, in lower case, such as `sip`; at most 16. Not in CallKit.
    ///
    /// Of `tel`, `callto` and `mailto` it gets what they name, a phone number or an e-mail address. Of every other scheme it
    /// gets the whole URI with its scheme, as a generic handle: for `walkie:anna@example.com` the handle of the
    /// ``CXStartCallAction`` has the value `walkie:anna@example.com`. Report callers in the same form, so that a
    /// party has the same handle in both directions. If you declare exactly one scheme of your own, the system adds it to the
    /// generic handles that you report without a scheme.
    public var supportedSchemes: Set<String> {
        get { Set(model.supportedSchemes) }
        set { model.supportedSchemes = newValue.sorted() }
    }

    /// Tells this provider from the other ones of its plugin, so that its id is the same after each start: 1 to 64 letters,
    /// digits and underscores. Nil means that the order of creation decides. It cannot be changed later. Not in CallKit.
    public var key: String? {
        get { model.key.isEmpty ? nil : model.key }
        set { model.key = newValue ?? "" }
    }

    /// Whether the provider can take calls now; default `online`. Not in CallKit.
    public var availability: Availability {
        get { Availability(rawValue: model.availability.rawValue) ?? .online }
        set { model.availability = CallModel.Availability(rawValue: newValue.rawValue) ?? .online }
    }

    /// One sentence about the availability, such as `No SIM card`; 256 characters are kept. Not in CallKit.
    public var status: String {
        get { model.status }
        set { model.status = newValue }
    }

    /// How the provider's network holds calls; default `perCall`. Counts for calls that begin after it was set. Not in
    /// CallKit.
    public var holdModel: HoldModel {
        get { HoldModel(rawValue: model.holdModel.rawValue) ?? .perCall }
        set { model.holdModel = CallModel.HoldModel(rawValue: newValue.rawValue) ?? .perCall }
    }

    /// The app that belongs to the provider, by the name of its desktop file without `.desktop`. Not in CallKit.
    public var desktopEntry: String? {
        get { model.desktopEntry.isEmpty ? nil : model.desktopEntry }
        set { model.desktopEntry = newValue ?? "" }
    }

    /// Whether the provider's calls can be transferred; default false. Not in CallKit.
    public var supportsTransfer: Bool {
        get { model.supportsTransfer }
        set { model.supportsTransfer = newValue }
    }

    /// Whether it can hide and show the user's own number for one call; default false. It then gets calls whose
    /// ``CXStartCallAction/hidesNumber`` has a value. Not in CallKit.
    public var supportsHidingNumber: Bool {
        get { model.supportsHidingNumber }
        set { model.supportsHidingNumber = newValue }
    }

    /// Whether it sends service codes such as `*100#`; default false. It then gets ``CXServiceCodeAction``. Not in CallKit.
    public var supportsServiceCodes: Bool {
        get { model.supportsServiceCodes }
        set { model.supportsServiceCodes = newValue }
    }

    /// Whether a provider can take calls. Not in CallKit.
    public enum Availability: String, Hashable, Sendable, CaseIterable {
        /// All calls are possible.
        case online
        /// The provider is connecting to its network.
        case connecting
        /// There is no connection to the network.
        case offline
        /// The network refuses the user.
        case unauthorized
        /// Only emergency calls are possible.
        case emergencyOnly = "emergency-only"
    }

    /// How a network holds calls. Not in CallKit.
    public enum HoldModel: String, Hashable, Sendable, CaseIterable {
        /// Each call by itself.
        case perCall = "per-call"
        /// Only by exchanging the active call with the held one, as mobile networks do. The provider's reports of
        /// `isOnHold` are facts then.
        case swap
    }

    /// The provider's own buttons, at most 32. When a client presses one, the delegate gets a `CXCustomAction` in
    /// `provider(_:perform:)`. Not in CallKit.
    public var customActions: [CXCustomButton] {
        get { model.customActions.map(CXCustomButton.init) }
        set { model.customActions = newValue.map(\.model) }
    }

    /// The numbers with which the provider reaches the emergency services, at most 32. A call to such a number, to 112 or to
    /// 911 goes to no provider that does not declare the number: declare only what you can really reach. They count for
    /// packaged plugins, and for providers that the user has marked. Not in CallKit.
    public var emergencyNumbers: [String] {
        get { model.emergencyNumbers }
        set { model.emergencyNumbers = newValue }
    }

    /// 112 and 911, which reach the emergency services in every mobile network (3GPP TS 22.101, 10.1.1). Not in CallKit.
    public static var wellKnownEmergencyNumbers: [String] { Handle.wellKnownEmergencyNumbers }
}

/// One of a provider's own buttons. Not in CallKit.
public struct CXCustomButton: Sendable, Hashable {
    /// The button's identifier: 1 to 64 characters out of `[A-Za-z0-9._-]`.
    public let identifier: String
    /// The text of the button.
    public let label: String
    /// A name of the freedesktop icon naming specification, or the absolute name of a file; empty means none.
    public let icon: String
    /// Whether the button makes sense only during a call of the provider.
    public let isForCalls: Bool

    /// Creates a button.
    /// - Parameters:
    ///   - identifier: 1 to 64 characters out of `[A-Za-z0-9._-]`. Registering a configuration with an invalid
    ///     identifier fails.
    ///   - label: the text of the button.
    ///   - icon: a name of the freedesktop icon naming specification, or the absolute name of a file.
    ///   - isForCalls: whether the button makes sense only during a call of the provider.
    public init(identifier: String, label: String, icon: String = "", isForCalls: Bool = false) {
        (self.identifier, self.label, self.icon, self.isForCalls) = (identifier, label, icon, isForCalls)
    }

    init(_ action: CustomAction) {
        self.init(identifier: action.id, label: action.label, icon: action.icon, isForCalls: action.isForCalls)
    }

    var model: CustomAction { CustomAction(id: identifier, label: label, icon: icon, isForCalls: isForCalls) }
}
