// AppID: the ids of sandboxed apps.

import CallModel

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
