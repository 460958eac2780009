// What a plugin's file says about itself before anything in it runs.

/// The ELF note `OpenCallKit`: six 32-bit words that the SDK puts into every plugin.
struct PluginNote: Hashable, Sendable {
    let protocolVersion: UInt32
    let sdkVersion: [UInt32]
    let toolchain: [UInt32]

    static let wordCount = 6

    /// - Returns: nil unless there are six words.
    init?(words: [UInt32]) {
        guard words.count == Self.wordCount else { return nil }
        protocolVersion = words[0]
        sdkVersion = Array(words[1...3])
        toolchain = Array(words[4...5])
    }

    var sdkVersionText: String { sdkVersion.map(String.init).joined(separator: ".") }
}
