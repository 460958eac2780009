// KeySettings: the desktops that keep keys for commands in GSettings.

import CallClient

/// Where one desktop keeps such keys: each at a path of its own, which a list names.
struct KeySettings {
    let desktop: String
    let schema: String
    /// The folder of the paths.
    let folder: String
    let commandKey: String
    /// How a value of `binding` is written.
    let binding: @Sendable (String) -> String
    /// The schema and the key of the list, and what it has of a path; nil where the folder itself is the list.
    let list: (schema: String, key: String, hasWholePaths: Bool)?

    /// The settings of a desktop by a word of `XDG_CURRENT_DESKTOP` in lower case; nil for others.
    static func of(_ desktop: String) -> KeySettings? {
        switch desktop {
        case "gnome", "unity", "budgie", "gnome-classic", "gnome-flashback":
            let keys = "org.gnome.settings-daemon.plugins.media-keys"
            return KeySettings(
                desktop: desktop == "budgie" ? "Budgie" : "GNOME", schema: "\(keys).custom-keybinding",
                folder: "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/", commandKey: "command",
                binding: \.shellQuoted, list: (keys, "custom-keybindings", true))
        case "x-cinnamon", "cinnamon":
            let keys = "org.cinnamon.desktop.keybindings"
            return KeySettings(
                desktop: "Cinnamon", schema: "\(keys).custom-keybinding",
                folder: "/org/cinnamon/desktop/keybindings/custom-keybindings/", commandKey: "command",
                binding: { "\"['\($0)']\"" }, list: (keys, "custom-list", false))
        case "mate":
            return KeySettings(
                desktop: "MATE", schema: "org.mate.control-center.keybinding",
                folder: "/org/mate/desktop/keybindings/", commandKey: "action", binding: \.shellQuoted, list: nil)
        default: return nil
        }
    }

    /// The command that prints the list.
    var listCommand: String? { list.map { "gsettings get \($0.schema) \($0.key)" } }

    /// The commands that add the keys that the list does not have.
    ///
    /// - Parameter listed: the list, as gsettings prints it; "" if there is none.
    func recipe(_ program: KeyRecipe.Program, listed: String) -> KeyRecipe {
        var entries = listed
        var lines: [String] = []
        for key in CallKey.allCases {
            let entry = "opencallkit-\(key.rawValue)"
            let path = "\(folder)\(entry)/"
            let item = list?.hasWholePaths == true ? "'\(path)'" : "'\(entry)'"
            if listed.contains(item) { continue }
            let place = "gsettings set \(schema):\(path)"
            lines += [
                "\(place) name \(key.label.shellQuoted)", "\(place) \(commandKey) \(program.command(key).shellQuoted)",
                "\(place) binding \(binding(key.accelerator))",
            ]
            let isEmpty = !entries.contains("'")
            // The list ends with a bracket, and an entry may have one, too.
            entries = isEmpty ? "[\(item)]" : entries.dropLast() + ", \(item)]"
        }
        if let list, !lines.isEmpty {
            // The entries of others are data to the shell, whatever they contain.
            let word = entries.contains(where: "\"$`\\".contains) ? entries.shellQuoted : "\"\(entries)\""
            lines.append("gsettings set \(list.schema) \(list.key) \(word)")
        }
        return KeyRecipe(
            desktop: desktop,
            place: lines.isEmpty ? "the keys are there; change them in the desktop's settings" : "in a terminal:",
            lines: lines, isCommands: true)
    }
}
