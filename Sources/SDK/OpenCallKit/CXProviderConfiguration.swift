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

    /// The provider's own buttons, at most 32. When a client presses one, the delegate gets a `CXCustomAction` in
    /// `provider(_:perform:)`. Not in CallKit.
    public var customActions: [CXCustomButton] {
        get { model.customActions.map { CXCustomButton(identifier: $0.id, label: $0.label) } }
        set { model.customActions = newValue.map { CustomAction(id: $0.identifier, label: $0.label) } }
    }

    /// The numbers whose calls are emergency calls, at most 32. Nil means 112 and 911 for a provider of phone numbers,
    /// and none for others. Not in CallKit.
    public var emergencyNumbers: [String]? {
        get { model.emergencyNumbers }
        set { model.emergencyNumbers = newValue }
    }
}

/// One of a provider's own buttons. Not in CallKit.
public struct CXCustomButton: Sendable, Hashable {
    /// The button's identifier: 1 to 64 characters out of `[A-Za-z0-9._-]`.
    public let identifier: String
    /// The text of the button.
    public let label: String

    /// Creates a button.
    /// - Parameters:
    ///   - identifier: 1 to 64 characters out of `[A-Za-z0-9._-]`. Registering a configuration with an invalid
    ///     identifier fails.
    ///   - label: the text of the button.
    public init(identifier: String, label: String) {
        self.identifier = identifier
        self.label = label
    }
}
