// The values of desktop.conf, and their lines.

import EventLoop
import Files

extension DesktopSettings {
    /// What the file says; without a file, the defaults.
    package struct Values: Sendable, Equatable {
        /// The loudness of the ringtone, from 0 to 1; `ring-volume` in percent.
        package var ringVolume = 1.0
        /// The user's ringtones by contact identifier or provider id, as absolute paths of sound files:
        /// `ringtone Hotline = /home/alice/bell.ogg`.
        package var ringtones: [String: String] = [:]
        /// Whether notifications say who calls while the screen is locked: `show-names-when-locked`.
        package var showsNamesWhenLocked = false
        /// Whether players are paused while the phone rings, not only during calls: `pause-players-for-ringing`.
        package var pausesPlayersForRinging = false
        /// Whether the agent offers org.gnome.Calls, from which Phosh shows calls on its lock screen: `gnome-calls`.
        package var servesGnomeCalls = true
        /// Whether the user was told that nobody reaches the emergency services: `told-of-emergencies`.
        package var toldOfEmergencies = false
        /// Whether keys are bound at the desktop's portal, with each start: `global-shortcuts`.
        package var bindsShortcuts = false
        /// The kinds of devices that the user has chosen for calls, the last one first: `audio-routes = headset speaker`.
        package var audioRoutes: [String] = []

        package init() {}

        /// What counts while the file cannot be read: the user may have refused that others are told who calls.
        static let unknown: Values = {
            var values = Values()
            for path in Values.switches.values { values[keyPath: path] = false }
            return values
        }()

        /// Returns why a ringtone cannot be kept under this name; nil if it can.
        package static func complaint(ofRingtoneName name: String) -> String? {
            let isPlain = name.first?.isWhitespace == false && name.last?.isWhitespace == false
            return isPlain && !name.contains { $0 == "=" || $0.isNewline }
                ? nil : "expected the id of a provider or of a contact without = in it"
        }
    }
}

extension DesktopSettings.Values {
    private static let ringtonePrefix = "ringtone "
    fileprivate static let switches: [String: any WritableKeyPath<Self, Bool> & Sendable] = [
        "show-names-when-locked": \.showsNamesWhenLocked, "pause-players-for-ringing": \.pausesPlayersForRinging,
        "gnome-calls": \.servesGnomeCalls, "told-of-emergencies": \.toldOfEmergencies,
        "global-shortcuts": \.bindsShortcuts,
    ]

    /// Applies a line.
    /// - Returns: what is wrong with it.
    mutating func apply(_ entry: ConfigurationText.Entry) -> String? {
        guard let value = entry.value else { return "expected key = value" }
        if let path = Self.switches[entry.key] {
            // What cannot be read may have been no.
            self[keyPath: path] = value == "yes"
            guard value == "yes" || value == "no" else {
                return "\(value) is not a valid value of \(entry.key), expected yes or no"
            }
        } else if entry.key == "ring-volume" {
            guard let percent = Int(value), (0...100).contains(percent) else {
                return "\(value) is not a valid value of ring-volume, expected 0 to 100"
            }
            ringVolume = Double(percent) / 100
        } else if entry.key == "audio-routes" {
            let kinds = value.split(separator: " ").map(String.init)
            if let wrong = kinds.first(where: { AudioRoute.Kind(rawValue: $0) == nil }) {
                return "\(wrong) is not a valid value of audio-routes, expected one of "
                    + AudioRoute.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            }
            audioRoutes = kinds
        } else if entry.key.hasPrefix(Self.ringtonePrefix) {
            guard value.hasPrefix("/") else { return "\(value) is not an absolute path" }
            ringtones[String(entry.key.dropFirst(Self.ringtonePrefix.count))] = value
        } else {
            let known = ["audio-routes", "ring-volume", "ringtone ID"] + Self.switches.keys
            return "unknown key \(entry.key), expected one of \(known.sorted().joined(separator: ", "))"
        }
        return nil
    }

    /// The values that differ from the defaults or may, by key.
    var lines: [String: String] {
        var lines = ["ring-volume": String(Int((ringVolume * 100).rounded()))]
        for (key, path) in Self.switches { lines[key] = self[keyPath: path] ? "yes" : "no" }
        if !audioRoutes.isEmpty { lines["audio-routes"] = audioRoutes.joined(separator: " ") }
        for (name, path) in ringtones { lines[Self.ringtonePrefix + name] = path }
        return lines
    }
}
