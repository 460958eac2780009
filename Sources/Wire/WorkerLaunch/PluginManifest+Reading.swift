// Reads a manifest. Its syntax is that of desktop entries.

public import CallModel
internal import EventLoop
internal import Files

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
        for entry in ConfigurationText(text).entries { try lines.take(entry) }
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
        for (key, reason) in lines.reasons.sorted(by: { $0.value.line < $1.value.line }) {
            if let permission = asked.first(where: { $0.text == key }) {
                reasons[permission] = reason.text.displayable
            } else {
                unknown.append("line \(reason.line) has a reason for \(key.plainExcerpt), which is not asked for")
            }
        }
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

    private static let keys: Set = ["Name", "Comment", "Needs", "MayUse"]

    func value(_ group: Group, _ key: String) -> String {
        (group == .plugin ? plugin : reasons)[key]?.text ?? ""
    }

    mutating func take(_ entry: ConfigurationText.Entry) throws(CallError) {
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
                unknown.append("line \(entry.line) has \(key.plainExcerpt)")
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
            unknown.append("line \(entry.line) has \(entry.key.plainExcerpt)")
        }
    }

    private func invalid(_ line: Int, _ reason: String) -> CallError {
        CallError(.notSupported, "\(PluginManifest.fileName), line \(line) \(reason)")
    }
}
