// Which names in a folder are plugins, and the id that a name gives.

/// The file name of a plugin, taken apart: `Hotline.so`, `libHotline.so` and `Hotline.callplugin` all have the id `Hotline`.
struct PluginName: Hashable, Sendable {
    static let maximumIDLength = 64

    /// 1 to 64 characters out of `[A-Za-z0-9_]`; others in the file's name became `_`, what is too long was cut.
    let id: String
    let isBundle: Bool
    /// The file's name without its ending, and without `lib`.
    let stem: String

    /// - Returns: nil if `fileName` is not that of a plugin. Hidden files never are.
    init?(_ fileName: String) {
        isBundle = fileName.hasSuffix(".callplugin")
        guard isBundle || fileName.hasSuffix(".so"), !fileName.hasPrefix(".") else { return nil }
        var stem = fileName.dropLast(isBundle ? ".callplugin".count : ".so".count)
        if !isBundle, stem.hasPrefix("lib"), stem.count > 3 { stem = stem.dropFirst(3) }
        self.stem = String(stem)
        let letters = stem.unicodeScalars.prefix(Self.maximumIDLength).map { scalar -> Character in
            switch scalar {
            case "A"..."Z", "a"..."z", "0"..."9", "_": Character(scalar)
            default: "_"
            }
        }
        id = String(letters)
    }

    /// The libraries that a bundle of this name may hold, the preferred one first.
    var libraryNames: [String] { ["\(stem).so", "lib\(stem).so"] }

    func check() throws(PluginFileError) {
        let length = stem.unicodeScalars.count
        guard length <= Self.maximumIDLength else { throw .nameTooLong(length: length, limit: Self.maximumIDLength) }
    }
}
