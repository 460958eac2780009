// Which sandboxed app a process belongs to, and the ids that name apps.

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

/// Reads the id `snap.NAME` of a Snap; portals use the same ids.
enum SnapName {
    /// The Snap of an AppArmor label, such as `snap.phone.app (enforce)`. nil for other labels, and in the mode
    /// `complain`, which classic Snaps have: their control group identifies them.
    static func of(label: String) -> String? {
        guard !label.hasSuffix("(complain)") else { return nil }
        return id(String(label.prefix { $0 != " " }))
    }

    /// The Snap of a process, by its file `/proc/PID/cgroup`: its scope is `snap.phone.app-UUID.scope`, and its
    /// services are named likewise.
    static func of(cgroup: String) -> String? {
        for line in cgroup.split(whereSeparator: \.isNewline) {
            let path = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
            for element in path.split(separator: "/") where element.hasPrefix("snap.") {
                if let id = id(String(element)) { return id }
            }
        }
        return nil
    }

    /// `snap.phone` of `snap.phone.app`; an instance `phone_work` is an app of its own.
    private static func id(_ text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0] == "snap", AppID.isValid(String(parts[1])) else { return nil }
        return "snap.\(parts[1])"
    }
}

/// The ids by which grants name apps: `org.example.Phone` of a Flatpak, or `snap.phone` of a Snap.
enum AppID {
    /// The longest id, in bytes.
    private static let maximumLength = 255

    /// Whether a text can be an id: 1 to 255 of the ASCII letters, digits, `.`, `_` and `-`. That covers the
    /// application ids of Flatpak and the names of Snaps.
    static func isValid(_ id: String) -> Bool {
        guard (1...maximumLength).contains(id.utf8.count) else { return false }
        return id.utf8.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }
    }
}
