// The source tree as the house tests read it.

import Foundation

/// One source file: where it is and its lines.
struct SourceFile {
    let path: String
    let lines: [String]

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The modules it imports.
    var imports: Set<String> {
        Set(
            lines.compactMap { line in
                let words = line.split(separator: " ").map(String.init)
                guard let index = words.firstIndex(of: "import"), index + 1 < words.count, index <= 2,
                    words[..<index].allSatisfy({ $0.hasPrefix("@") || ["public", "internal", "package"].contains($0) })
                else { return nil }
                let isMember = ["class", "struct", "enum", "func", "protocol", "var", "let", "typealias"]
                let name =
                    isMember.contains(words[index + 1]) && index + 2 < words.count ? words[index + 2] : words[index + 1]
                return String(name.prefix { $0 != "." })
            })
    }
}

enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All files with one of these endings below `folder`.
    static func files(below folder: String, endings: Set<String> = ["swift"]) throws -> [SourceFile] {
        let base = root.appending(path: folder)
        guard let names = FileManager.default.enumerator(atPath: base.path) else { return [] }
        return try names.compactMap { name in
            guard let name = name as? String, endings.contains(URL(filePath: name).pathExtension) else { return nil }
            let text = try String(contentsOf: base.appending(path: name), encoding: .utf8)
            return SourceFile(path: folder + "/" + name, lines: text.components(separatedBy: "\n"))
        }.sorted { $0.path < $1.path }
    }

    /// The output of `swift package describe --type json`, with a scratch folder of its own.
    static func describe() throws -> PackageDescription {
        let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", root.path, "--scratch-path", scratch.path, "describe", "--type",
            "json",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(PackageDescription.self, from: data)
    }
}

struct PackageDescription: Decodable {
    struct Target: Decodable {
        let name: String
        let path: String
        let type: String
        let target_dependencies: [String]?
    }
    let targets: [Target]
}
