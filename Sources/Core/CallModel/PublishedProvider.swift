// PublishedProvider: a provider as the daemon publishes it.

/// Whether the process behind a provider runs.
public enum ProviderState: String, Sendable, Hashable, CaseIterable {
    case ready, unavailable
}

/// The properties of Provider1: what the provider has declared, and what the daemon adds.
public struct PublishedProvider: Published, Hashable {
    public var id: ProviderID
    public var state = ProviderState.unavailable
    /// Without the data of its icon. The emergency numbers are those in force, and the ringtone has its absolute name.
    public var configuration = ProviderConfiguration()
    /// The absolute path of its icon; empty for none.
    public var icon = ""
    /// The id of its plugin; nil for an app.
    public var plugin: String?

    public init(_ id: ProviderID) { self.id = id }
}

extension PublishedProvider {
    public static let fields: [Field<PublishedProvider>] = [
        .text(ProviderProperty.id, { $0.id.rawValue }, { $0.id = ProviderID($1) ?? $0.id }).constant,
        .text(ProviderProperty.localizedName, { $0.configuration.localizedName }) {
            $0.configuration.localizedName = $1
        },
        .words(ProviderProperty.supportedHandleTypes, { $0.configuration.supportedHandleTypes }) {
            $0.configuration.supportedHandleTypes = $1
        },
        .texts(ProviderProperty.supportedSchemes, { $0.configuration.supportedSchemes }) {
            $0.configuration.supportedSchemes = $1
        },
        .text(ProviderProperty.key, { $0.configuration.key }, { $0.configuration.key = $1 }).constant,
        .word(ProviderProperty.availability, { $0.configuration.availability }, { $0.configuration.availability = $1 }),
        .text(ProviderProperty.status, { $0.configuration.status }, { $0.configuration.status = $1 }),
        .word(ProviderProperty.holdModel, { $0.configuration.holdModel }, { $0.configuration.holdModel = $1 }),
        .text(ProviderProperty.desktopEntry, { $0.configuration.desktopEntry }) {
            $0.configuration.desktopEntry = $1
        },
        .flag(ProviderProperty.supportsHidingNumber, { $0.configuration.supportsHidingNumber }) {
            $0.configuration.supportsHidingNumber = $1
        },
        .flag(ProviderProperty.supportsServiceCodes, { $0.configuration.supportsServiceCodes }) {
            $0.configuration.supportsServiceCodes = $1
        },
        .flag(ProviderProperty.supportsTransfer, { $0.configuration.supportsTransfer }) {
            $0.configuration.supportsTransfer = $1
        },
        .flag(ProviderProperty.supportsVideo, { $0.configuration.supportsVideo }) {
            $0.configuration.supportsVideo = $1
        },
        .flag(ProviderProperty.supportsAudioTranslation, { $0.configuration.supportsAudioTranslation }) {
            $0.configuration.supportsAudioTranslation = $1
        },
        .number(ProviderProperty.maximumCallGroups, { $0.configuration.maximumCallGroups }) {
            $0.configuration.maximumCallGroups = $1
        },
        .number(ProviderProperty.maximumCallsPerCallGroup, { $0.configuration.maximumCallsPerCallGroup }) {
            $0.configuration.maximumCallsPerCallGroup = $1
        },
        .flag(ProviderProperty.includesCallsInRecents, { $0.configuration.includesCallsInRecents }) {
            $0.configuration.includesCallsInRecents = $1
        },
        .text(ProviderProperty.ringtoneSound, { $0.configuration.ringtoneSound }) {
            $0.configuration.ringtoneSound = $1
        },
        .text(ProviderProperty.icon, { $0.icon }, { $0.icon = $1 }),
        .plugin(ProviderProperty.plugin, { $0.plugin }, { $0.plugin = $1 }).constant,
        .word(ProviderProperty.state, { $0.state }, { $0.state = $1 }),
        .customActions(ProviderProperty.customActions, { $0.configuration.customActions }) {
            $0.configuration.customActions = $1
        },
        .texts(ProviderProperty.emergencyNumbers, { $0.configuration.emergencyNumbers }) {
            $0.configuration.emergencyNumbers = $1
        },
    ]
}
