// UserPlace: where a file of the user lies, in words that are the same for every user.

/// The place that a `files:` permission names: one of the user's folders, and what is below it.
public struct UserPlace: Hashable, Sendable {
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

        /// Whether a plugin can be given all of it.
        var canBeWhole: Bool {
            switch self {
            case .home, .config, .data: false
            default: true
            }
        }
    }

    public let folder: Folder
    /// What is below the folder; empty for the folder itself. Neither `.` nor `..` is among its elements.
    public let elements: [String]

    /// - Throws: `NotSupported` telling what the path has and what was expected.
    public init(_ path: String) throws(CallError) {
        // As the kernel takes names apart: to Swift, a slash with a combining mark behind it is another letter.
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
        if let start = Self.start(of: folder) { try Self.check(start + elements) }
        self.folder = folder
        self.elements = elements
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.isUnsafeInText && scalar != "\u{FFFD}" && ![";", "=", "\\", "*"].contains(scalar)
    }

    /// The folders and files below the home folder that hold secrets, as most programs name them.
    public static let secrets = [
        ".ssh", ".gnupg", ".pki", ".password-store", ".aws", ".azure", ".kube", ".docker", ".netrc",
        ".git-credentials", ".mozilla", ".thunderbird", ".config/chromium", ".config/google-chrome",
        ".config/kwalletrc", ".config/gh", ".config/gcloud", ".local/share/keyrings", ".local/share/kwalletd",
    ]

    /// OpenCallKit's own folders, and the one among them that plugins may read.
    private static let own = [
        ".config/opencallkit", ".local/share/opencallkit", ".local/state/opencallkit", ".cache/opencallkit",
    ]
    private static let lists = [".config", "opencallkit", "lists"]

    /// Where a folder usually lies below the home folder; nil for one that has none of these. Where it really lies is
    /// checked at each start.
    private static func start(of folder: Folder) -> [String]? {
        switch folder {
        case .home: []
        case .config: [".config"]
        case .data: [".local", "share"]
        default: nil
        }
    }

    private static func check(_ path: [String]) throws(CallError) {
        if let secret = met(by: path, secrets) {
            throw CallError(.notSupported, "no plugin is granted ~/\(secret), which can hold the user's secrets")
        }
        if let own = met(by: path, own), !path.starts(with: lists) {
            throw CallError(.notSupported, "no plugin is granted ~/\(own), which is OpenCallKit's own")
        }
    }

    /// Which of these the path is, is in or contains. The case of letters does not count on every disk.
    private static func met(by path: [String], _ places: [String]) -> String? {
        let path = path.map { $0.lowercased() }
        return places.first { place in
            let parts = place.split(separator: "/").map(String.init)
            return path.starts(with: parts) || parts.starts(with: path)
        }
    }
}
