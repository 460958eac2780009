// Where plugins are looked for, and in which order: the first of a name wins.

import EventLoop

struct PluginSearchPath: Sendable {
    /// Absolute, in the order of precedence, without repetition.
    let folders: [String]

    private static let subfolder = "/opencallkit/plugins"
    private static let librarySuffix = ".so"
    private static let bundleSuffix = ".callplugin"
    private static let maximumEntries = 256

    /// - Parameter first: folders that come before the standard ones.
    init(first: [String], environment: [String: String], executableFolder: String) {
        func list(_ name: String) -> [String] { (environment[name] ?? "").split(separator: ":").map(String.init) }
        let home = environment["HOME"] ?? ""
        let userData = list("XDG_DATA_HOME").first ?? (home.isEmpty ? "" : home + "/.local/share")
        let systemData = list("XDG_DATA_DIRS")
        var folders = first + list("OPENCALLKIT_PLUGIN_PATH")
        if !userData.isEmpty { folders.append(userData + Self.subfolder) }
        folders += (systemData.isEmpty ? ["/usr/local/share", "/usr/share"] : systemData).map { $0 + Self.subfolder }
        folders.append(executableFolder + "/../lib" + Self.subfolder)
        var seen: Set<String> = []
        self.folders = folders.filter { seen.insert($0).inserted }
    }

    /// Every plugin and every file that would like to be one, in order of precedence.
    func scan() -> [PluginCandidate] {
        var found: [PluginCandidate] = []
        var seen: Set<String> = []
        for folder in folders {
            guard let names = try? FileReader.names(in: folder, limit: Self.maximumEntries) else { continue }
            for name in names {
                guard let candidate = Self.candidate(name, in: folder), seen.insert(candidate.id).inserted else {
                    continue
                }
                found.append(candidate)
            }
        }
        return found
    }

    /// `Name.so` or `Name.callplugin/Name.so`; nil for any other name.
    private static func candidate(_ name: String, in folder: String) -> PluginCandidate? {
        let path = folder + "/" + name
        if name.hasSuffix(bundleSuffix) {
            let base = String(name.dropLast(bundleSuffix.count))
            return candidate(base, library: path + "/" + base + librarySuffix, resources: path, isBundle: true)
        }
        guard name.hasSuffix(librarySuffix) else { return nil }
        return candidate(String(name.dropLast(librarySuffix.count)), library: path, resources: "", isBundle: false)
    }

    private static func candidate(
        _ base: String, library: String, resources: String, isBundle: Bool
    ) -> PluginCandidate? {
        guard let id = id(of: base) else { return nil }
        do throws(PluginFileError) {
            return .usable(try PluginFile(id: id, libraryPath: library, resourceDirectory: resources))
        } catch {
            if isBundle, case .unreadable = error { return .rejected(id: id, path: library, .bundleWithoutLibrary(base + librarySuffix)) }
            return .rejected(id: id, path: library, error)
        }
    }

    /// A name as a path element: `lib` in front is dropped, what D-Bus does not allow becomes `_`.
    private static func id(of base: String) -> String? {
        let name = base.hasPrefix("lib") && base.count > 3 ? base.dropFirst(3) : Substring(base)
        let id = String(
            name.utf8.prefix(64).map { byte -> Character in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    Character(UnicodeScalar(byte))
                default: "_"
                }
            })
        return id.isEmpty ? nil : id
    }
}
