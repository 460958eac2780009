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
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let folder = Folder(rawValue: parts.first ?? "") else {
            let known = Folder.allCases.map(\.rawValue).joined(separator: ", ")
            throw CallError(.notSupported, "the path begins with none of the user's folders, which are \(known)")
        }
        let elements = Array(parts.dropFirst())
        guard !elements.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw CallError(.notSupported, "the path has an element that is empty, . or ..")
        }
        guard path.unicodeScalars.allSatisfy(Self.isPlain), path.last != " " else {
            throw CallError(
                .notSupported, "the path has a character that no permission can have: ; = \\ *, a control character, or "
                    + "a space at its end")
        }
        guard !elements.isEmpty || folder.canBeWhole else {
            throw CallError(.notSupported, "no plugin gets all of \(folder.rawValue), expected something below it")
        }
        if let secret = Self.secret(in: folder, elements) {
            throw CallError(.notSupported, "no plugin gets at \(secret), which can hold the user's secrets")
        }
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

    /// What of the secrets this is, is in or contains. Where the folders really are is checked at each start.
    private static func secret(in folder: Folder, _ elements: [String]) -> String? {
        let start: [String]
        switch folder {
        case .home: start = []
        case .config: start = [".config"]
        case .data: start = [".local", "share"]
        default: return nil
        }
        let path = (start + elements).map { $0.lowercased() }
        for secret in secrets {
            let parts = secret.split(separator: "/").map(String.init)
            if path.starts(with: parts) || parts.starts(with: path) { return "~/\(secret)" }
        }
        return nil
    }
}
