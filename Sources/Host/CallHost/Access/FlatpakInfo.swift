// FlatpakInfo: which app a sandbox was made for, from the file .flatpak-info in its root folder.

import CallModel

/// The app that the key file `.flatpak-info` names in its group `Application` or `Runtime`. Flatpak puts this file into
/// each sandbox.
struct FlatpakInfo: Equatable {
    /// The longest file, in bytes; Flatpak writes less.
    static let longest = 65_536

    /// The id of the app, such as `org.example.Phone`.
    let app: String

    /// - Returns: nil if the text names no app, or if the name is not a valid id.
    init?(text: String) {
        var group = ""
        var names: [String: String] = [:]
        // Only a line feed ends a line, as in GKeyFile. The values that the app chooses, such as its environment, can
        // contain other characters that Swift takes for the end of a line.
        for scalars in text.unicodeScalars.split(separator: "\n") {
            let line = Substring(scalars)
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces }
            guard parts.count == 2, parts[0] == "name", names[group] == nil else { continue }
            names[group] = parts[1]
        }
        guard let app = names["Application"] ?? names["Runtime"], AppID.isValid(app) else { return nil }
        self.app = app
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let text = drop(while: isSpace)
        return String(text.reversed().drop(while: isSpace).reversed())
    }
}
