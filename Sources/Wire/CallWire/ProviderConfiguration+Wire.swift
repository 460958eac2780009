// ProviderConfiguration as the a{sv} of RegisterProvider and UpdateConfiguration.

public import CallModel
public import DBus

extension ProviderConfiguration {
    /// The largest icon that is accepted, in bytes.
    public static let maximumIconSize = 64 * 1024
    public static let maximumCustomActions = 32
    public static let maximumEmergencyNumbers = 32
    public static let maximumHandleTypes = 16
    public static let maximumSchemes = 16
    /// The longest name of a desktop file, in bytes.
    public static let maximumDesktopEntry = 255

    /// The keys that the contract has.
    public static let keys: Set<String> = [
        Key.localizedName, Key.supportedHandleTypes, Key.supportedSchemes, Key.key, Key.availability, Key.status,
        Key.holdModel, Key.desktopEntry, Key.supportsTransfer, Key.supportsVideo, Key.supportsHidingNumber,
        Key.supportsServiceCodes, Key.supportsAudioTranslation,
        Key.maximumCallGroups, Key.maximumCallsPerCallGroup, Key.includesCallsInRecents, Key.ringtoneSound,
        Key.iconTemplateImage, Key.customActions, Key.emergencyNumbers,
    ]

    private enum Key {
        static let localizedName = "localized-name"
        static let supportedHandleTypes = "supported-handle-types"
        static let supportedSchemes = "supported-schemes"
        static let key = "key"
        static let availability = "availability"
        static let status = "status"
        static let holdModel = "hold-model"
        static let desktopEntry = "desktop-entry"
        static let supportsTransfer = "supports-transfer"
        static let supportsHidingNumber = "supports-hiding-number"
        static let supportsServiceCodes = "supports-service-codes"
        static let supportsVideo = "supports-video"
        static let supportsAudioTranslation = "supports-audio-translation"
        static let maximumCallGroups = "maximum-call-groups"
        static let maximumCallsPerCallGroup = "maximum-calls-per-call-group"
        static let includesCallsInRecents = "includes-calls-in-recents"
        static let ringtoneSound = "ringtone-sound"
        static let iconTemplateImage = "icon-template-image"
        static let customActions = "custom-actions"
        static let emergencyNumbers = "emergency-numbers"
    }

    /// Keys that are missing have CallKit's defaults.
    /// - Throws: `InvalidArguments` for a key of the wrong type or outside its values.
    public init(wire: VariantDictionary) throws(CallError) {
        self.init()
        try update(wire: wire)
    }

    /// Takes over the keys that are there; those missing are unchanged. When it throws, nothing has changed.
    /// - Throws: `InvalidArguments` for a key of the wrong type or outside its values.
    public mutating func update(wire: VariantDictionary) throws(CallError) {
        var new = self
        if let name = try wire.optional(Key.localizedName, as: String.self) { new.localizedName = name.displayable }
        if let words = try wire.optional(Key.supportedHandleTypes, as: [String].self) {
            new.supportedHandleTypes = try Self.handleTypes(words)
        }
        if let schemes = try wire.optional(Key.supportedSchemes, as: [String].self) {
            new.supportedSchemes = try Self.schemes(schemes)
        }
        if let key = try wire.optional(Key.key, as: String.self) { new.key = try Self.key(key) }
        new.availability = try wire.optionalWord(Key.availability) ?? availability
        if let status = try wire.optional(Key.status, as: String.self) { new.status = status.displayable }
        new.holdModel = try wire.optionalWord(Key.holdModel) ?? holdModel
        if let entry = try wire.optional(Key.desktopEntry, as: String.self) {
            new.desktopEntry = try Self.desktopEntry(entry)
        }
        new.supportsTransfer = try wire.optional(Key.supportsTransfer) ?? supportsTransfer
        new.supportsHidingNumber = try wire.optional(Key.supportsHidingNumber) ?? supportsHidingNumber
        new.supportsServiceCodes = try wire.optional(Key.supportsServiceCodes) ?? supportsServiceCodes
        new.supportsVideo = try wire.optional(Key.supportsVideo) ?? supportsVideo
        new.supportsAudioTranslation = try wire.optional(Key.supportsAudioTranslation) ?? supportsAudioTranslation
        new.maximumCallGroups = try wire.optional(Key.maximumCallGroups) ?? maximumCallGroups
        new.maximumCallsPerCallGroup = try wire.optional(Key.maximumCallsPerCallGroup) ?? maximumCallsPerCallGroup
        new.includesCallsInRecents = try wire.optional(Key.includesCallsInRecents) ?? includesCallsInRecents
        if let sound = try wire.optional(Key.ringtoneSound, as: String.self) {
            new.ringtoneSound = try VariantDictionary.fileName(sound, of: Key.ringtoneSound)
        }
        if let icon = try wire.optional(Key.iconTemplateImage, as: [UInt8].self) {
            guard icon.count <= Self.maximumIconSize else {
                throw Self.tooMany(Key.iconTemplateImage, icon.count, "bytes", Self.maximumIconSize)
            }
            new.iconTemplateImage = icon
        }
        if let actions = try wire.optional(Key.customActions, as: [VariantDictionary].self) {
            do throws(CallError) {
                new.customActions = try Self.customActions(actions)
            } catch {
                throw CallError(error.code, "\(Key.customActions): \(error.message)")
            }
        }
        if let numbers = try wire.optional(Key.emergencyNumbers, as: [String].self) {
            new.emergencyNumbers = try Self.emergencyNumbers(numbers)
        }
        self = new
    }

    /// Every key that has a value.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.localizedName, localizedName.withoutNUL)
        wire.set(Key.supportedHandleTypes, supportedHandleTypes.map(\.rawValue))
        wire.set(Key.supportedSchemes, supportedSchemes)
        if !key.isEmpty { wire.set(Key.key, key) }
        wire.set(Key.availability, availability.rawValue)
        wire.set(Key.status, status.withoutNUL)
        wire.set(Key.holdModel, holdModel.rawValue)
        if !desktopEntry.isEmpty { wire.set(Key.desktopEntry, desktopEntry) }
        wire.set(Key.supportsTransfer, supportsTransfer)
        wire.set(Key.supportsHidingNumber, supportsHidingNumber)
        wire.set(Key.supportsServiceCodes, supportsServiceCodes)
        wire.set(Key.supportsVideo, supportsVideo)
        wire.set(Key.supportsAudioTranslation, supportsAudioTranslation)
        wire.set(Key.maximumCallGroups, maximumCallGroups)
        wire.set(Key.maximumCallsPerCallGroup, maximumCallsPerCallGroup)
        wire.set(Key.includesCallsInRecents, includesCallsInRecents)
        wire.set(Key.ringtoneSound, ringtoneSound)
        wire.set(Key.iconTemplateImage, iconTemplateImage)
        wire.set(Key.customActions, customActions.map(\.wire))
        wire.set(Key.emergencyNumbers, emergencyNumbers)
        return wire
    }

    private static func handleTypes(_ words: [String]) throws(CallError) -> [HandleType] {
        guard words.count <= maximumHandleTypes else {
            throw tooMany(Key.supportedHandleTypes, words.count, "entries", maximumHandleTypes)
        }
        var types: [HandleType] = []
        for word in words {
            let type: HandleType = try VariantDictionary.word(word, of: Key.supportedHandleTypes)
            if !types.contains(type) { types.append(type) }
        }
        return types
    }

    private static func schemes(_ words: [String]) throws(CallError) -> [String] {
        guard words.count <= maximumSchemes else {
            throw tooMany(Key.supportedSchemes, words.count, "entries", maximumSchemes)
        }
        var schemes: [String] = []
        for word in words {
            guard DialString.isScheme(word) else {
                throw CallError(
                    .invalidArguments,
                    "\(Key.supportedSchemes) has \"\(word.excerpt)\", expected a URI scheme in lower case, such as sip")
            }
            if !schemes.contains(word) { schemes.append(word) }
        }
        return schemes
    }

    private static func key(_ text: String) throws(CallError) -> String {
        guard text.isEmpty || text.utf8.count <= 64 && ProviderID(text) != nil else {
            throw CallError(
                .invalidArguments, "\(Key.key) is \"\(text.excerpt)\", expected 1 to 64 letters, digits and underscores"
            )
        }
        return text
    }

    private static func desktopEntry(_ name: String) throws(CallError) -> String {
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
        guard isName, name.utf8.count <= maximumDesktopEntry else {
            throw CallError(
                .invalidArguments,
                "\(Key.desktopEntry) is \"\(name.excerpt)\", expected the name of a desktop file without .desktop")
        }
        return name
    }

    private static func customActions(_ entries: [VariantDictionary]) throws(CallError) -> [CustomAction] {
        guard entries.count <= maximumCustomActions else {
            throw CallError(.invalidArguments, "\(entries.count) entries, expected at most \(maximumCustomActions)")
        }
        var actions: [CustomAction] = []
        for entry in entries {
            let id: String = try entry.needed(CustomActionKey.id)
            guard CustomAction.isValid(id: id) else {
                throw CallError(
                    .invalidArguments,
                    "the id is \"\(id.excerpt)\", expected 1 to 64 letters, digits, ., _ and -")
            }
            guard !actions.contains(where: { $0.id == id }) else {
                throw CallError(.invalidArguments, "the id \(id) is there twice")
            }
            let icon: String = try entry.optional(CustomActionKey.icon) ?? ""
            actions.append(
                CustomAction(
                    id: id, label: (try entry.optional(CustomActionKey.label) ?? "").displayable,
                    icon: try VariantDictionary.fileName(icon, of: CustomActionKey.icon),
                    isForCalls: try entry.optional(CustomActionKey.isForCalls) ?? false))
        }
        return actions
    }

    private static func emergencyNumbers(_ numbers: [String]) throws(CallError) -> [String] {
        guard numbers.count <= maximumEmergencyNumbers else {
            throw tooMany(Key.emergencyNumbers, numbers.count, "entries", maximumEmergencyNumbers)
        }
        do throws(CallError) {
            return try numbers.map { number throws(CallError) in
                try Handle(type: .phoneNumber, value: number).asDialed.value
            }
        } catch {
            throw CallError(.invalidArguments, "\(Key.emergencyNumbers): \(error.message)")
        }
    }

    private static func tooMany(_ key: String, _ found: Int, _ unit: String, _ limit: Int) -> CallError {
        CallError(.invalidArguments, "\(key) has \(found) \(unit), expected at most \(limit)")
    }
}

private enum CustomActionKey {
    static let id = "id"
    static let label = "label"
    static let icon = "icon"
    static let isForCalls = "calls-only"
}

extension CustomAction {
    /// Every key.
    public var wire: VariantDictionary {
        [
            CustomActionKey.id: .string(id), CustomActionKey.label: .string(label.withoutNUL),
            CustomActionKey.icon: .string(icon), CustomActionKey.isForCalls: .bool(isForCalls),
        ]
    }

    /// Reads an action as the daemon publishes it. What is missing is empty.
    init(published wire: VariantDictionary) {
        self.init(
            id: wire[CustomActionKey.id, default: ""], label: wire[CustomActionKey.label, default: ""],
            icon: wire[CustomActionKey.icon, default: ""], isForCalls: wire[CustomActionKey.isForCalls, default: false])
    }

    /// Whether `id` has 1 to 64 characters out of `[A-Za-z0-9._-]`.
    public static func isValid(id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
}
