// CXProviderConfiguration: what a provider declares about itself.

internal import CallModel

/// A provider's declaration (CallKit: CXProviderConfiguration). A provider copies it; to change something later, set
/// the provider's `configuration`.
public final class CXProviderConfiguration {
    var model: ProviderConfiguration

    /// A configuration with the name of the plugin or program, and defaults for all else.
    public init() { model = ProviderConfiguration() }

    /// A configuration with a name.
    /// - Parameter localizedName: what people read; 256 characters are kept.
    public init(localizedName: String) {
        model = ProviderConfiguration()
        model.localizedName = localizedName
    }

    init(_ model: ProviderConfiguration) { self.model = model }

    /// What people read; 256 characters are kept. Nil is the name of the plugin or program.
    public var localizedName: String? {
        get { model.localizedName.isEmpty ? nil : model.localizedName }
        set { model.localizedName = newValue ?? "" }
    }

    /// The file name of a sound among the plugin's resources, or an absolute one. Nil is the system's ringtone.
    public var ringtoneSound: String? {
        get { model.ringtoneSound.isEmpty ? nil : model.ringtoneSound }
        set { model.ringtoneSound = newValue ?? "" }
    }

    /// A square PNG, 40 points a side, of which only the alpha channel counts; at most 64 KiB.
    public var iconTemplateImageData: Data? {
        get { model.iconTemplateImage.isEmpty ? nil : Data(model.iconTemplateImage) }
        set { model.iconTemplateImage = newValue.map(Array.init) ?? [] }
    }

    /// How many conversations there can be at a time, default 2. A call that is in no group counts as one; 0 allows none.
    public var maximumCallGroups: Int {
        get { Int(model.maximumCallGroups) }
        set { model.maximumCallGroups = UInt32(clamping: newValue) }
    }

    /// How many calls a group can have, default 5.
    public var maximumCallsPerCallGroup: Int {
        get { Int(model.maximumCallsPerCallGroup) }
        set { model.maximumCallsPerCallGroup = UInt32(clamping: newValue) }
    }

    /// Whether the calls belong in the list of recent calls, default true.
    public var includesCallsInRecents: Bool {
        get { model.includesCallsInRecents }
        set { model.includesCallsInRecents = newValue }
    }

    /// Whether calls can have video, default false.
    public var supportsVideo: Bool {
        get { model.supportsVideo }
        set { model.supportsVideo = newValue }
    }

    /// Whether the provider's calls can be translated, default false: then it is asked to, with
    /// `CXSetTranslatingCallAction`.
    public var supportsAudioTranslation: Bool {
        get { model.supportsAudioTranslation }
        set { model.supportsAudioTranslation = newValue }
    }

    /// The kinds of handle that calls to this provider may have.
    public var supportedHandleTypes: Set<CXHandle.HandleType> {
        get { Set(model.supportedHandleTypes.map(CXHandle.HandleType.init)) }
        set { model.supportedHandleTypes = newValue.sorted { $0.rawValue < $1.rawValue }.map(\.model) }
    }

    /// Buttons of its own, at most 32. Whoever presses one gets through to `provider(_:perform:)` with a
    /// `CXCustomAction`. Not in CallKit.
    public var customActions: [CXCustomButton] {
        get { model.customActions.map { CXCustomButton(identifier: $0.id, label: $0.label) } }
        set { model.customActions = newValue.map { CustomAction(id: $0.identifier, label: $0.label) } }
    }

    /// Numbers whose calls are emergency calls, at most 32. Nil is 112 and 911 for a provider of phone numbers, and none
    /// for others. Not in CallKit.
    public var emergencyNumbers: [String]? {
        get { model.emergencyNumbers }
        set { model.emergencyNumbers = newValue }
    }
}

/// A button of a provider's own. Not in CallKit.
public struct CXCustomButton: Sendable, Hashable {
    /// 1 to 64 characters out of `[A-Za-z0-9._-]`.
    public let identifier: String
    /// What people read.
    public let label: String

    /// Makes a button.
    /// - Parameters:
    ///   - identifier: as its property says; a configuration with another is refused when it is registered.
    ///   - label: what people read.
    public init(identifier: String, label: String) {
        self.identifier = identifier
        self.label = label
    }
}
