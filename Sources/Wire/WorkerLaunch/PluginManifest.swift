// PluginManifest: the file Plugin.ini of a bundle, in which a plugin asks for permissions.

public import CallModel
internal import EventLoop
internal import Files

/// The name of a plugin and the permissions that it asks for, known before any of its code runs. The manifest grants
/// nothing: the user or the installation does.
public struct PluginManifest: Sendable, Hashable {
    /// The file's name in the bundle.
    public static let fileName = "Plugin.ini"
    /// The largest file, in bytes.
    public static let maximumSize = 16 * 1024
    /// The most permissions of one plugin.
    public static let maximumPermissions = 32
    /// The longest version, in characters.
    public static let maximumVersion = 32

    /// What the plugin calls itself, safe to show; empty if it does not say.
    public var name: String = ""
    /// One sentence about the plugin, safe to show; empty if there is none.
    public var comment: String = ""
    /// The plugin's version, a word that is safe to show; empty if it does not say.
    public var version: String = ""
    /// The permissions without which the plugin is not started, sorted.
    public var needs: [Permission] = []
    /// The permissions without which the plugin is started, sorted; none is in `needs`.
    public var mayUse: [Permission] = []
    /// Why the plugin asks, in its own words, safe to show. A permission may have no reason.
    public var reasons: [Permission: String] = [:]
    /// The lines that were ignored, each as a text for the log.
    public var unknown: [String] = []

    /// A manifest that asks for nothing.
    public init() {}

    /// All permissions that the plugin asks for, sorted.
    public var asked: [Permission] { (needs + mayUse).sorted() }
}

extension PluginManifest {
    /// Opens the manifest of a bundle; nil if there is none. A symbolic link is refused, because it may lead out of the
    /// bundle.
    ///
    /// - Throws: The failed call; `SystemError.notRegular` if it is not a regular file.
    static func open(inBundle folder: String) throws(SystemError) -> FileReader? {
        do throws(SystemError) {
            return try FileReader("\(folder)/\(fileName)", followingLinks: false)
        } catch {
            if error.isMissing { return nil }
            throw error
        }
    }

    /// - Throws: `NotSupported` if a line or a permission is invalid; the message names it.
    public init(_ bytes: [UInt8]) throws(CallError) {
        guard bytes.count <= Self.maximumSize else {
            throw CallError(.notSupported, "\(Self.fileName) has more than \(Self.maximumSize) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else {
            throw CallError(.notSupported, "\(Self.fileName) is not UTF-8 text")
        }
        self.init()
        var lines = ManifestLines()
        for entry in ConfigurationText(text).entries { try lines.read(entry) }
        name = lines.value(.plugin, "Name").displayable
        comment = lines.value(.plugin, "Comment").displayable
        needs = try Self.permissions(lines.plugin["Needs"])
        mayUse = try Self.permissions(lines.plugin["MayUse"]).filter { !needs.contains($0) }
        guard needs.count + mayUse.count <= Self.maximumPermissions else {
            throw CallError(
                .notSupported,
                "\(Self.fileName) asks for \(needs.count + mayUse.count) permissions, "
                    + "expected at most \(Self.maximumPermissions)")
        }
        unknown = lines.unknown
        if let stated = lines.plugin["Version"] {
            version = Self.version(stated.text) ?? ""
            if version.isEmpty {
                unknown.append(
                    "line \(stated.line) has no version, expected 1 to \(Self.maximumVersion) letters, digits, dots, "
                        + "hyphens and plus signs, beginning with a letter or a digit")
            }
        }
        for (key, reason) in lines.reasons.sorted(by: { $0.value.line < $1.value.line }) {
            if let permission = asked.first(where: { $0.text == key }) {
                reasons[permission] = reason.text.displayable
            } else {
                unknown.append("line \(reason.line) has a reason for \(key.plainExcerpt), which is not asked for")
            }
        }
    }

    /// - Returns: nil if it is none.
    private static func version(_ text: String) -> String? {
        let scalars = text.unicodeScalars
        func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": true
            default: false
            }
        }
        guard scalars.count <= maximumVersion, let first = scalars.first, isAlphanumeric(first),
            scalars.allSatisfy({ isAlphanumeric($0) || ".-+".unicodeScalars.contains($0) })
        else { return nil }
        return text
    }

    /// The permissions of a list, each once, sorted.
    private static func permissions(_ list: ManifestLines.Value?) throws(CallError) -> [Permission] {
        guard let list else { return [] }
        var permissions: Set<Permission> = []
        for item in list.text.split(separator: ";", omittingEmptySubsequences: true) {
            var word = item
            while word.first == " " { word.removeFirst() }
            while word.last == " " { word.removeLast() }
            if word.isEmpty { continue }
            do throws(CallError) {
                permissions.insert(try Permission(String(word)))
            } catch {
                throw CallError(error.code, "\(fileName), line \(list.line): \(error.message)")
            }
        }
        return permissions.sorted()
    }
}

/// The lines of a manifest by their groups.
private struct ManifestLines {
    struct Value {
        let text: String
        let line: Int
    }

    enum Group {
        case plugin, reasons, other
    }

    private(set) var plugin: [String: Value] = [:]
    private(set) var reasons: [String: Value] = [:]
    private(set) var unknown: [String] = []
    private var group: Group?

    private static let keys: Set = ["Name", "Comment", "Version", "Needs", "MayUse"]

    private static let expected = "Name, Comment, Version, Needs or MayUse"

    func value(_ group: Group, _ key: String) -> String {
        (group == .plugin ? plugin : reasons)[key]?.text ?? ""
    }

    mutating func read(_ entry: ConfigurationText.Entry) throws(CallError) {
        if entry.key.hasPrefix("["), entry.value == nil {
            guard entry.key.hasSuffix("]") else { throw invalid(entry.line, "is not [Group]") }
            begin(entry)
            return
        }
        guard let group else { throw invalid(entry.line, "stands before the first [Group]") }
        let key = entry.key
        // A list may be empty, as in `Needs=`; any other line has a value.
        guard entry.value != nil || Self.keys.contains(key) else {
            throw invalid(entry.line, "is neither [Group] nor Key=value")
        }
        let value = Value(text: entry.value ?? "", line: entry.line)
        switch group {
        case .plugin where Self.keys.contains(key):
            guard plugin.updateValue(value, forKey: key) == nil else { throw invalid(entry.line, "has \(key) again") }
        case .plugin:
            // Names and comments in other languages: `Name[sv]`.
            if !key.hasPrefix("Name["), !key.hasPrefix("Comment[") {
                unknown.append("line \(entry.line) has \(key.plainExcerpt), expected \(Self.expected)")
            }
        case .reasons:
            guard reasons.updateValue(value, forKey: key) == nil else {
                throw invalid(entry.line, "has a reason for \(key.plainExcerpt) again")
            }
        case .other: break
        }
    }

    private mutating func begin(_ entry: ConfigurationText.Entry) {
        switch entry.key {
        case "[Plugin]": group = .plugin
        case "[Reasons]": group = .reasons
        default:
            group = .other
            unknown.append("line \(entry.line) has \(entry.key.plainExcerpt), expected [Plugin] or [Reasons]")
        }
    }

    private func invalid(_ line: Int, _ reason: String) -> CallError {
        CallError(.notSupported, "\(PluginManifest.fileName), line \(line) \(reason)")
    }
}
