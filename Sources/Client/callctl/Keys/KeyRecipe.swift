// KeyRecipe: how each desktop's own settings bind keys to commands.

import CallClient

/// What to do so that keys run `callctl desktop press`.
struct KeyRecipe: Equatable {
    /// The desktop, for people.
    let desktop: String
    /// Where the lines go, or what to do.
    let place: String
    let lines: [String]
    /// Whether the lines are commands that may be run here.
    var isCommands = false

    /// What keys run. The key daemons of desktops may have another PATH.
    struct Program: Equatable {
        let path: String

        func command(_ key: CallKey) -> String { "\(path) desktop press \(key.rawValue)" }
    }
}

extension KeyRecipe {
    /// The recipe of a desktop that keeps keys in files or in a window of settings; nil for one of the `KeySettings`, and for
    /// one that is not known.
    ///
    /// - Parameter desktop: a word of `XDG_CURRENT_DESKTOP`, in lower case.
    static func of(_ desktop: String, _ program: Program) -> KeyRecipe? {
        switch desktop {
        case "xfce":
            KeyRecipe(
                desktop: "Xfce", place: "in a terminal:",
                lines: lines { key in
                    "xfconf-query -c xfce4-keyboard-shortcuts -p '/commands/custom/\(key.accelerator)' -n -t string "
                        + "-s \(program.command(key).shellQuoted)"
                }, isCommands: true)
        case "sway", "i3":
            KeyRecipe(
                desktop: desktop, place: "in ~/.config/\(desktop)/config, and then: \(desktop)msg reload",
                lines: lines { "bindsym Mod4+Shift+\($0.letter) exec \(program.command($0))" })
        case "hyprland":
            KeyRecipe(
                desktop: "Hyprland", place: "in ~/.config/hypr/hyprland.conf:",
                lines: lines { "bind = SUPER SHIFT, \($0.letter.uppercased()), exec, \(program.command($0))" })
        case "labwc":
            KeyRecipe(
                desktop: "labwc", place: "in ~/.config/labwc/rc.xml, below <keyboard>, and then: labwc --reconfigure",
                lines: lines { key in
                    "<keybind key=\"W-S-\(key.letter)\"><action name=\"Execute\" command=\"\(program.command(key))\"/>"
                        + "</keybind>"
                })
        case "niri":
            KeyRecipe(
                desktop: "niri", place: "in ~/.config/niri/config.kdl, in binds:",
                lines: lines { key in
                    "Mod+Shift+\(key.letter.uppercased()) { spawn \(program.words(key)); }"
                })
        case "kde":
            KeyRecipe(
                desktop: "Plasma", place: "in System Settings, Shortcuts, with Add Command:",
                lines: lines(program.command))
        case "lxqt":
            KeyRecipe(
                desktop: "LXQt", place: "in lxqt-config-globalkeyshortcuts, with Add and Command:",
                lines: lines(program.command))
        default: nil
        }
    }

    static func unknown(_ program: Program) -> KeyRecipe {
        KeyRecipe(desktop: "an unknown desktop", place: "bind keys to these commands:", lines: lines(program.command))
    }

    private static func lines(_ line: (CallKey) -> String) -> [String] { CallKey.allCases.map(line) }
}

extension KeyRecipe.Program {
    fileprivate func words(_ key: CallKey) -> String {
        [path, "desktop", "press", key.rawValue].map { "\"\($0)\"" }.joined(separator: " ")
    }
}

extension CallKey {
    /// The proposed key as GTK writes it.
    var accelerator: String { "<Shift><Super>\(letter)" }
}

extension String {
    /// The text as one word of a shell.
    var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}
