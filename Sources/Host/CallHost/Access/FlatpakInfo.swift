// FlatpakInfo: which app a sandbox was made for, from the file .flatpak-info in its root folder.

import CallModel

/// The group `Application` or `Runtime` of the key file that Flatpak puts into each sandbox.
struct FlatpakInfo: Equatable {
    /// More than Flatpak writes, in bytes.
    static let longest = 65_536
    private static let longestID = 255

    /// The id of the app, such as `org.example.Phone`.
    let app: String

    /// - Returns: nil if the text names no app, or has a name that is not an app's.
    init?(text: String) {
        var group = ""
        var names: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("["), line.hasSuffix("]") {
                group = String(line.dropFirst().dropLast())
                continue
            }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingSpaces }
            guard parts.count == 2, parts[0] == "name", names[group] == nil else { continue }
            names[group] = parts[1]
        }
        guard let app = names["Application"] ?? names["Runtime"], Self.isValid(app) else { return nil }
        self.app = app
    }

    /// Whether a text can be the id of an app: letters, digits, `.`, `_` and `-`, at most 255 of them.
    static func isValid(_ app: String) -> Bool {
        guard (1...longestID).contains(app.utf8.count) else { return false }
        return app.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let text = drop(while: isSpace)
        return String(text.reversed().drop(while: isSpace).reversed())
    }
}
