// What the user has granted and revoked, and which plugins are disabled, as small files of text.

import CallModel
import CallScenario

/// The permissions that the user has granted or revoked, by plugin.
struct PluginGrants: SettingsText {
    static let title = "permissions"

    /// Identifies a plugin by its id and its folder. A plugin with the same id in another folder has none of its
    /// grants.
    struct Place: Hashable {
        let id: String
        /// The folder that the plugin was found in.
        let folder: String
    }

    private var places: [Place: [Permission: Bool]] = [:]
    /// The ids of plugins about which the file has lines that cannot be read.
    private(set) var doubtful: Set<String> = []

    /// The most decisions, over all plugins.
    static let maximum = 4_096
    /// The longest file, in bytes.
    static let longest = 1 << 20
    static let maximumLines = maximum

    init() {}

    /// The decisions about a plugin: true for granted, false for revoked.
    func decisions(for place: Place) -> [Permission: Bool] { places[place] ?? [:] }

    /// Grants or revokes permissions.
    ///
    /// - Throws: `LimitsExceeded`, without any change, if there would be more than `maximum` decisions or `longest`
    ///   bytes.
    mutating func decide(_ permissions: Set<Permission>, _ isGranted: Bool, for place: Place) throws(CallError) {
        var new = self
        for permission in permissions { new.places[place, default: [:]][permission] = isGranted }
        let count = new.places.values.reduce(0) { $0 + $1.count }
        guard count <= Self.maximum, new.text.utf8.count <= Self.longest else {
            throw CallError(
                .limitsExceeded,
                "\(count) permissions are decided, expected at most \(Self.maximum) in \(Self.longest) bytes; "
                    + "forget plugins that are not used: callctl plugins forget")
        }
        self = new
    }

    /// Revokes permissions about which nothing is decided.
    mutating func refuse(_ permissions: [Permission], for place: Place) {
        for permission in permissions where places[place]?[permission] == nil {
            places[place, default: [:]][permission] = false
        }
    }

    /// Forgets the decisions about plugins.
    ///
    /// - Returns: Whether there were any.
    mutating func forget(where isForgotten: (Place) -> Bool) -> Bool {
        let count = places.count
        places = places.filter { !isForgotten($0.key) }
        return places.count != count
    }

    var text: String {
        let lines = places.flatMap { place, decisions in
            decisions.map { permission, isGranted in
                "permission plugin=\(place.id.quoted) folder=\(place.folder.quoted) "
                    + "granted=\(isGranted.word) name=\(permission.text.quoted)\n"
            }
        }
        return "permissions\n" + lines.sorted().joined()
    }

    mutating func parse(_ line: String) throws(CallError) {
        var words = try Words(line)
        guard try words.read("permission") == "permission", words.peek == nil,
            let id = words.value("plugin"), !id.isEmpty, let folder = words.value("folder"), folder.hasPrefix("/"),
            let isGranted = try words.flag("granted"), let name = words.value("name")
        else {
            throw CallError(
                .invalidArguments, "a line is not \"permission plugin=… folder=… granted=… name=…\": \(line.excerpt)")
        }
        // An earlier version may have saved a permission that is never granted now. Only this line is ignored.
        guard let permission = try? Permission(name) else { return }
        places[Place(id: id, folder: folder), default: [:]][permission] = isGranted
    }
    mutating func doubt(_ line: String) {
        if let id = line.value(after: "plugin=") { doubtful.insert(id) }
    }
}

struct PluginSettings: SettingsText {
    static let title = "plugins"

    /// The ids of the disabled plugins, present or not.
    var disabled: Set<String> = []

    var text: String {
        "plugins\n" + disabled.sorted().map { "plugin id=\($0) enabled=no\n" }.joined()
    }

    init() {}

    mutating func parse(_ line: String) throws(CallError) {
        var words = try Words(line)
        guard try words.read("plugin") == "plugin", let id = words.value("id"), !id.isEmpty,
            let isEnabled = try words.flag("enabled")
        else {
            throw CallError(.invalidArguments, "a line is not \"plugin id=… enabled=…\": \(line.excerpt)")
        }
        if !isEnabled { disabled.insert(id) }
    }

    /// A plugin that the line names was disabled: it has no other lines.
    mutating func doubt(_ line: String) {
        if let id = line.value(after: "id=") { disabled.insert(id) }
    }
}

extension String {
    /// The word after `key` in a line that may be damaged, without quotes; nil if there is none.
    func value(after key: String) -> String? {
        let word = split(separator: " ").first { $0.hasPrefix(key) }?.dropFirst(key.count).filter { $0 != "\"" }
        return word.flatMap { $0.isEmpty ? nil : $0 }
    }
}
