// ProviderConfiguration as the a{sv} of RegisterProvider and UpdateConfiguration.

public import CallModel
public import DBus

extension ProviderConfiguration {
    /// The largest icon that is accepted, in bytes.
    public static let maximumIconSize = 64 * 1024
    public static let maximumCustomActions = 32
    public static let maximumEmergencyNumbers = 32
    /// The longest file name, in bytes.
    public static let maximumFileName = 4096

    private enum Key {
        static let localizedName = "localized-name"
        static let supportedHandleTypes = "supported-handle-types"
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
        new.supportsVideo = try wire.optional(Key.supportsVideo) ?? supportsVideo
        new.supportsAudioTranslation = try wire.optional(Key.supportsAudioTranslation) ?? supportsAudioTranslation
        new.maximumCallGroups = try wire.optional(Key.maximumCallGroups) ?? maximumCallGroups
        new.maximumCallsPerCallGroup = try wire.optional(Key.maximumCallsPerCallGroup) ?? maximumCallsPerCallGroup
        new.includesCallsInRecents = try wire.optional(Key.includesCallsInRecents) ?? includesCallsInRecents
        if let sound = try wire.optional(Key.ringtoneSound, as: String.self) {
            new.ringtoneSound = try Self.fileName(sound)
        }
        if let icon = try wire.optional(Key.iconTemplateImage, as: [UInt8].self) {
            guard icon.count <= Self.maximumIconSize else {
                throw Self.tooMany(Key.iconTemplateImage, icon.count, "bytes", Self.maximumIconSize)
            }
            new.iconTemplateImage = icon
        }
        if let actions = try wire.optional(Key.customActions, as: [Struct<String, String>].self) {
            new.customActions = try Self.customActions(actions)
        }
        if let numbers = try wire.optional(Key.emergencyNumbers, as: [String].self) {
            new.emergencyNumbers = try Self.emergencyNumbers(numbers)
        }
        self = new
    }

    /// Every key, except emergency numbers that were left at their default.
    public var wire: VariantDictionary {
        var wire = VariantDictionary()
        wire.set(Key.localizedName, localizedName.withoutNUL)
        wire.set(Key.supportedHandleTypes, supportedHandleTypes.map(\.rawValue))
        wire.set(Key.supportsVideo, supportsVideo)
        wire.set(Key.supportsAudioTranslation, supportsAudioTranslation)
        wire.set(Key.maximumCallGroups, maximumCallGroups)
        wire.set(Key.maximumCallsPerCallGroup, maximumCallsPerCallGroup)
        wire.set(Key.includesCallsInRecents, includesCallsInRecents)
        wire.set(Key.ringtoneSound, ringtoneSound)
        wire.set(Key.iconTemplateImage, iconTemplateImage)
        wire.set(Key.customActions, customActions.map { Struct($0.id, $0.label.withoutNUL) })
        wire.set(Key.emergencyNumbers, emergencyNumbers)
        return wire
    }

    private static func handleTypes(_ words: [String]) throws(CallError) -> [HandleType] {
        var types: [HandleType] = []
        for word in words {
            let type: HandleType = try VariantDictionary.word(word, of: Key.supportedHandleTypes)
            if !types.contains(type) { types.append(type) }
        }
        return types
    }

    private static func fileName(_ name: String) throws(CallError) -> String {
        guard name.utf8.count <= maximumFileName else {
            throw tooMany(Key.ringtoneSound, name.utf8.count, "bytes", maximumFileName)
        }
        guard !name.unicodeScalars.contains(where: \.isUnsafeInText) else {
            throw CallError(.invalidArguments, "\(Key.ringtoneSound) has control characters, expected a file name")
        }
        return name
    }

    private static func customActions(_ entries: [Struct<String, String>]) throws(CallError) -> [CustomAction] {
        guard entries.count <= maximumCustomActions else {
            throw tooMany(Key.customActions, entries.count, "entries", maximumCustomActions)
        }
        var actions: [CustomAction] = []
        for entry in entries {
            let (id, label) = entry.fields
            guard CustomAction.isValid(id: id) else {
                throw CallError(
                    .invalidArguments,
                    "\(Key.customActions) has the id \"\(id.excerpt)\", expected 1 to 64 letters, digits, ., _ and -")
            }
            guard !actions.contains(where: { $0.id == id }) else {
                throw CallError(.invalidArguments, "\(Key.customActions) has the id \(id) twice")
            }
            actions.append(CustomAction(id: id, label: label.displayable))
        }
        return actions
    }

    private static func emergencyNumbers(_ numbers: [String]) throws(CallError) -> [String] {
        guard numbers.count <= maximumEmergencyNumbers else {
            throw tooMany(Key.emergencyNumbers, numbers.count, "entries", maximumEmergencyNumbers)
        }
        for number in numbers {
            do {
                _ = try Handle(type: .phoneNumber, value: number)
            } catch {
                throw CallError(.invalidArguments, "\(Key.emergencyNumbers): \(error.message)")
            }
        }
        return numbers
    }

    private static func tooMany(_ key: String, _ found: Int, _ unit: String, _ limit: Int) -> CallError {
        CallError(.invalidArguments, "\(key) has \(found) \(unit), expected at most \(limit)")
    }
}

extension CustomAction {
    /// Whether `id` has 1 to 64 characters out of `[A-Za-z0-9._-]`.
    public static func isValid(id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
}
