// The public symbols of the SDK, from the compiler's symbol graph.

import Foundation

/// The repository's folder.
let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

/// The module's public symbols with their kinds and their documentation.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Documentation: Decodable {
            struct Line: Decodable { let text: String }
            let lines: [Line]
            /// The module that it comes from; nil is this one.
            let module: String?
        }
        struct Fragment: Decodable { let kind, spelling: String }

        let kind: Kind
        let pathComponents: [String]
        let docComment: Documentation?
        let declarationFragments: [Fragment]?

        var name: String { pathComponents.joined(separator: ".") }
        var documentation: String { (docComment?.lines ?? []).map(\.text).joined(separator: "\n") }
        var canThrow: Bool {
            declarationFragments?.contains { $0.kind == "keyword" && $0.spelling == "throws" } == true
        }
    }

    let symbols: [Symbol]

    static func ofTheSDK() throws -> SymbolGraph { try SymbolGraph(of: "OpenCallKit") }

    /// - Parameters:
    ///   - module: a module of this package.
    ///   - extended: another module, for the members that the first one adds to its types. Nil for all others.
    init(of module: String, extending extended: String? = nil) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        #if arch(arm64)
            let target = "aarch64-unknown-linux-gnu"
        #else
            let target = "x86_64-unknown-linux-gnu"
        #endif
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c",
            """
            swift-symbolgraph-extract -module-name \(module) -I "$1/Modules" -target \(target) -output-dir "$2" \
            -Xcc -fmodule-map-file="$3/Sources/Ground/CSystem/module.modulemap" \
            -Xcc -fmodule-map-file="$3/Sources/Ground/CDBus/module.modulemap" \
            -minimum-access-level public -skip-synthesized-members $(pkg-config --cflags dbus-1 | sed 's/-I/-Xcc -I/g')
            """,
            "sh", productFolder, folder.path, repository.path,
        ]
        try process.run()
        process.waitUntilExit()
        let graph = extended.map { "\(module)@\($0)" } ?? module
        let data = try Data(contentsOf: folder.appending(path: "\(graph).symbols.json"))
        self = try JSONDecoder().decode(SymbolGraph.self, from: data)
    }
}
