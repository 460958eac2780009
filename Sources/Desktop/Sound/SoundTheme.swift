// SoundTheme: finds the sounds of the desktop's theme.

internal import EventLoop
internal import Files

/// A sound theme, as the XDG Sound Theme Specification describes it.
package struct SoundTheme: Sendable {
    package let name: String
    private let folders: [String]

    /// The theme that all others are completed by.
    package static let fallback = "freedesktop"
    /// More parents than any theme has.
    private static let maximumThemes = 8

    /// - Parameter environment: The user's; themes are in the folders of `BaseFolder` for data.
    package init(name: String = fallback, environment: [String: String]) {
        self.name = name
        let own = BaseFolder.data.path(in: environment)
        folders = ([own].compactMap { $0 } + BaseFolder.systemData(in: environment)).map { $0 + "/sounds/" }
    }

    /// Returns the file of a sound, such as `phone-incoming-call`; nil if the theme has none, or turns it off.
    package func file(of sound: String) -> String? {
        guard Self.isName(sound) else { return nil }
        var themes = Self.isName(name) ? [name] : [Self.fallback]
        var next = 0
        while next < themes.count {
            let theme = themes[next]
            next += 1
            for folder in folders.map({ $0 + theme }) {
                switch find(sound, in: folder) {
                case .file(let path): return path
                case .isOff: return nil
                case .nothing: break
                }
            }
            let parents = parents(of: theme).filter { !themes.contains($0) }
            themes += parents.prefix(max(0, Self.maximumThemes - themes.count))
            if next == themes.count, !themes.contains(Self.fallback) { themes.append(Self.fallback) }
        }
        return nil
    }

    private enum Finding {
        case file(String)
        case isOff, nothing
    }

    private func find(_ sound: String, in folder: String) -> Finding {
        // Themes that desktops make for the user have their sounds beside the index.
        for place in ["\(folder)/stereo", folder] {
            for ending in ["disabled", "oga", "ogg", "wav"] {
                let path = "\(place)/\(sound).\(ending)"
                guard (try? FileStatus(path))?.kind == .regular else { continue }
                return ending == "disabled" ? .isOff : .file(path)
            }
        }
        return .nothing
    }

    /// Whether this is the name of a file or folder in a folder of themes, not a way out of it.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && !text.contains("/") && !text.hasPrefix(".") && !text.utf8.contains(0)
    }

    private func parents(of theme: String) -> [String] {
        for folder in folders {
            guard let index = try? ConfigurationText.read("\(folder)\(theme)/index.theme"),
                let names = index.entries.first(where: { $0.key == "Inherits" })?.value
            else { continue }
            return names.split(whereSeparator: { $0 == "," || $0 == ";" || $0 == " " }).map(String.init)
                .filter(Self.isName)
        }
        return []
    }
}
