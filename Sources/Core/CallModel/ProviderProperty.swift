// The names of a provider's properties.
// Written by `make fmt` from dbus/*.xml.

public enum ProviderProperty {
    public static let id = "Id"
    public static let localizedName = "LocalizedName"
    public static let supportedHandleTypes = "SupportedHandleTypes"
    public static let supportedSchemes = "SupportedSchemes"
    public static let key = "Key"
    public static let availability = "Availability"
    public static let status = "Status"
    public static let holdModel = "HoldModel"
    public static let desktopEntry = "DesktopEntry"
    public static let supportsHidingNumber = "SupportsHidingNumber"
    public static let supportsServiceCodes = "SupportsServiceCodes"
    public static let supportsTransfer = "SupportsTransfer"
    public static let supportsVideo = "SupportsVideo"
    public static let supportsAudioTranslation = "SupportsAudioTranslation"
    public static let maximumCallGroups = "MaximumCallGroups"
    public static let maximumCallsPerCallGroup = "MaximumCallsPerCallGroup"
    public static let includesCallsInRecents = "IncludesCallsInRecents"
    public static let ringtoneSound = "RingtoneSound"
    public static let icon = "Icon"
    public static let plugin = "Plugin"
    public static let state = "State"
    public static let customActions = "CustomActions"
    public static let emergencyNumbers = "EmergencyNumbers"
}
