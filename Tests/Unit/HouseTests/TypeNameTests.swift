// A type name means one thing in all of the sources.

import Testing

@Suite struct TypeNameTests {
    /// Types at the top of a file, extensions aside. What is private to a file cannot be mistaken for another.
    @Test func unique() throws {
        var homes: [String: [String]] = [:]
        for file in try Repository.files(below: "Sources") {
            for name in file.lines.compactMap(Self.declaredType) { homes[name, default: []].append(file.path) }
        }
        try #require(homes.count > 100)
        for (name, files) in homes where files.count > 1 {
            Issue.record("\(name) is declared in \(files.joined(separator: " and "))")
        }
    }

    private static func declaredType(in line: String) -> String? {
        let modifiers: Set = ["public", "package", "internal", "final", "indirect", "nonisolated", "open"]
        let kinds: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        guard line.first?.isWhitespace == false else { return nil }
        let words = line.split(separator: " ").drop { modifiers.contains(String($0)) || $0.hasPrefix("@") }
        guard let kind = words.first, kinds.contains(String(kind)), let name = words.dropFirst().first else {
            return nil
        }
        return String(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    }
}
