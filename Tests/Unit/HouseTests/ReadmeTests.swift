// The code and the files in the README exist.

import Foundation
import Testing

@Suite struct ReadmeTests {
    @Test func smallestPluginIsTheFixture() throws {
        let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        let file = Repository.root.appending(path: "Examples/Smallest/Sources/Smallest/Smallest.swift")
        let code = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        #expect(readme.contains("```swift\n\(code)\n```"))
        let lines = code.components(separatedBy: "\n").count { !$0.isEmpty }
        #expect(lines <= 26, "25 lines and the entry")
    }

    @Test func namedFilesExist() throws {
        let readme = try String(contentsOf: Repository.root.appending(path: "README.md"), encoding: .utf8)
        for match in readme.matches(of: /`((?:dbus|docs|Sources|Plugins|Tests|Examples|Benchmarks)\/[A-Za-z.\/]*)`/) {
            let path = Repository.root.appending(path: String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "README.md names \(match.1)")
        }
        for match in readme.matches(of: /\]\(([^:)]+)\)/) {
            let path = Repository.root.appending(path: String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "README.md links to \(match.1)")
        }
    }

    @Test func filesThatDocumentsNameExist() throws {
        for file in try Repository.files(below: "docs", endings: ["md"]) {
            for match in file.lines.joined(separator: "\n").matches(of: /\]\(([A-Za-z.\/-]+)\)/) {
                let path = Repository.root.appending(path: "docs").appending(path: String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: path), "\(file.path) links to \(match.1)")
            }
        }
    }

    @Test func theExampleOfAPropertyStandsInTheFiles() throws {
        let text = try String(contentsOf: Repository.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let diff = try #require(text.firstMatch(of: /```diff\n((?:.|\n)*?)```/)).1
        var place = ""
        var lines: Set<String> = []
        for line in diff.split(separator: "\n") {
            if line.hasPrefix("--- ") {
                place = String(line.dropFirst(4))
                let folder = place.contains(".") ? String(place.prefix { $0 != "/" }) : place
                let files = try Repository.files(below: folder, endings: ["swift", "xml"])
                lines = Set(files.filter { $0.path.hasPrefix(place) }.flatMap(\.lines))
            } else {
                #expect(lines.contains(String(line.dropFirst())), "\(place) has no line \(line)")
            }
        }
    }

    @Test func contributingIsOneScreen() throws {
        let text = try String(contentsOf: Repository.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        // The ways of a call have a screen of their own.
        let ways = text.components(separatedBy: "\n## ").filter { $0.hasPrefix("The path of a call") }
        let linesOfWays = ways.joined().components(separatedBy: "\n").count
        #expect(lines.count - linesOfWays <= 80 && linesOfWays <= 33)
        for line in lines { #expect(line.count <= 120, "\(line)") }
        for target in try Repository.describe().targets where target.path.hasPrefix("Sources/") {
            #expect(text.contains("**\(target.name)**"), "no word on \(target.name)")
        }
    }
}
