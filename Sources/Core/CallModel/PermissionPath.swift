// PermissionPath: the PATH of a permission files:PATH, which means the same for every user.

/// A file or folder of the user that a plugin may read: one of the user's folders, and the elements below it, such as
/// `xdg-config/phone`.
public struct PermissionPath: Hashable, Sendable {
    /// One of the user's folders, as the XDG specifications know them.
    public enum Folder: String, Hashable, Sendable, CaseIterable {
        case home = "~"
        case config = "xdg-config"
        case data = "xdg-data"
        case desktop = "xdg-desktop"
        case documents = "xdg-documents"
        case download = "xdg-download"
        case music = "xdg-music"
        case pictures = "xdg-pictures"
        case videos = "xdg-videos"

        /// Whether the folder itself can be granted, and not only what is in it.
        var canBeWhole: Bool {
            switch self {
            case .home, .config, .data: false
            default: true
            }
        }
    }

    public let folder: Folder
    /// The names below the folder; empty for the folder itself. None is `.` or `..`.
    public let elements: [String]

    /// - Throws: `NotSupported` if the text is not such a path, or if no plugin may read what it names. The message
    ///   tells what was found and what was expected.
    public init(_ path: String) throws(CallError) {
        // Byte by byte, as the kernel does: to Swift, a slash that a combining mark follows is another character.
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard let folder = Folder(rawValue: parts.first ?? "") else {
            let known = Folder.allCases.map(\.rawValue).joined(separator: ", ")
            throw CallError(.notSupported, "the path begins with none of the user's folders, expected \(known)")
        }
        let elements = Array(parts.dropFirst())
        guard !elements.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw CallError(.notSupported, "the path has an element that is empty, . or ..")
        }
        guard path.unicodeScalars.allSatisfy(Self.isPlain), path.last != " " else {
            throw CallError(
                .notSupported,
                "the path has a character that no permission can have: ; = \\ *, a control character, or "
                    + "a space at its end")
        }
        guard !elements.isEmpty || folder.canBeWhole else {
            throw CallError(.notSupported, "no plugin is granted all of \(folder.rawValue), expected something in it")
        }
        if let location = Self.standardLocation(of: folder) { try Self.check(location + elements) }
        self.folder = folder
        self.elements = elements
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isUnsafeInText && scalar != "\u{FFFD}" && ![";", "=", "\\", "*"].contains(scalar)
    }

    /// The folders and files in the home folder in which well-known programs keep secrets.
    public static let secrets = [
        ".ssh", ".gnupg", ".pki", ".password-store", ".aws", ".azure", ".kube", ".docker", ".netrc",
        ".git-credentials", ".mozilla", ".thunderbird", ".config/chromium", ".config/google-chrome",
        ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/Bitwarden", ".config/rclone",
        ".config/kwalletrc", ".config/gh", ".config/gcloud", ".local/share/keyrings", ".local/share/kwalletd",
        ".var/app/org.mozilla.firefox", ".var/app/org.mozilla.Thunderbird", ".var/app/org.chromium.Chromium",
        ".var/app/com.google.Chrome", "snap/firefox", "snap/thunderbird", "snap/chromium",
    ]

    /// OpenCallKit's own folders in the home folder. Plugins may read `lists` only.
    private static let own = [
        ".config/opencallkit", ".local/share/opencallkit", ".local/state/opencallkit", ".cache/opencallkit",
    ]
    private static let lists = [".config", "opencallkit", "lists"]

    /// The default location of a folder in the home folder; nil for a folder that has none of `secrets` and `own` in
    /// it. `DeniedPaths` checks the real location at each start of the plugin.
    private static func standardLocation(of folder: Folder) -> [String]? {
        switch folder {
        case .home: []
        case .config: [".config"]
        case .data: [".local", "share"]
        default: nil
        }
    }

    private static func check(_ path: [String]) throws(CallError) {
        if let secret = overlap(of: path, with: secrets) {
            throw CallError(.notSupported, "no plugin is granted ~/\(secret), which can hold the user's secrets")
        }
        if let own = overlap(of: path, with: own), !path.starts(with: lists) {
            throw CallError(.notSupported, "no plugin is granted ~/\(own), which is OpenCallKit's own")
        }
    }

    /// The first of `places` that is the path, contains it or is in it. Letter case is ignored, because some file
    /// systems ignore it.
    private static func overlap(of path: [String], with places: [String]) -> String? {
        let path = path.map { $0.lowercased() }
        return places.first { place in
            let parts = place.lowercased().split(separator: "/").map(String.init)
            return path.starts(with: parts) || parts.starts(with: path)
        }
    }
}
