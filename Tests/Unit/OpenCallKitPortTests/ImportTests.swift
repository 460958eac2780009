// The imitations of iOS call layers differ from code for iOS in their imports only.

import Foundation
import Testing

private let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures")

private let files: [URL] = ["Ports", "Ports6"].flatMap { folder in
    let names = FileManager.default.enumerator(atPath: fixtures.appending(path: folder).path)
    return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted()
        .map { fixtures.appending(path: folder).appending(path: $0) }
}

@Suite struct ImportTests {
    @Test func allLayers() {
        let layers = Set(files.map { $0.deletingLastPathComponent().lastPathComponent })
        #expect(layers == ["Walkie", "Softphone", "Keep", "Meeting", "Channel", "Ports6"])
    }

    /// A file has no condition but the one around its imports, and names nothing that iOS does not have.
    @Test(arguments: files) func importsOnly(_ file: URL) throws {
        var code = try String(contentsOf: file, encoding: .utf8)
        let block = try Regex(
            #"#if canImport\(CallKit\)\n(    import \w+\n)+#else\n    import OpenCallKitPort\n#endif\n"#)
        if let match = try block.firstMatch(in: code) { code.removeSubrange(match.range) }
        for word in ["import ", "#if", "#else", "OpenCallKit", "PluginMain", "CXCustom", "CXValue", "PKPushPayload("] {
            #expect(!code.contains(word), "\(file.lastPathComponent) has \(word)")
        }
    }
}
