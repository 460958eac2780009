// The code in the SDK's articles equals files that tests build or run.

import Foundation
import Testing

/// A block of code in an article, and the file that it names.
private struct CodeBlock: CustomTestStringConvertible {
    let article: String
    /// The comment before the block, which names the file; nil without one.
    let comment: String?
    let code: String

    var testDescription: String { "\(article): \(comment ?? String(code.prefix(40)))" }
}

private let catalog = "Sources/SDK/OpenCallKit/OpenCallKit.docc"

private let blocks: [CodeBlock] = {
    let articles = (try? Repository.files(below: catalog, endings: ["md"])) ?? []
    return articles.flatMap { article in
        let text = article.lines.joined(separator: "\n")
        return text.matches(of: /(?:<!-- (.*?) -->\n)?```[a-z]+\n((?:.|\n)*?)\n```/).map { match in
            CodeBlock(
                article: article.path, comment: match.1.map { String($0) }, code: String(match.2))
        }
    }
}()

@Suite struct ArticleTests {
    @Test(arguments: blocks) private func codeIsThatOfAFile(_ block: CodeBlock) throws {
        let comment = try #require(block.comment, "it does not say which file it is")
        let isPart = comment.hasPrefix("part of ")
        let path = isPart ? String(comment.dropFirst("part of ".count)) : comment
        let text = try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
        let lines = text.trimmingCharacters(in: .newlines).components(separatedBy: "\n")
        let code = block.code.components(separatedBy: "\n")
        if isPart {
            let found = lines.indices.contains { start in
                let part = lines[start...].prefix(code.count)
                return [0, 4, 8].contains { indent in
                    part.map { $0.isEmpty ? "" : String($0.dropFirst(indent)) } == code
                }
            }
            #expect(found, "no such lines in \(path)")
        } else {
            #expect(lines == code, "it is not \(path)")
        }
    }

    @Test func everyExampleIsInAnArticle() throws {
        let shown = Set(blocks.compactMap(\.comment).map { $0.replacing("part of ", with: "") })
        let examples = try Repository.files(below: "Examples", endings: ["py", "js", "swift", "c", "cpp"])
        #expect(examples.count >= 6)
        // `callctl plugin new` writes the template.
        for example in examples where !example.path.hasPrefix("Examples/Template/") {
            #expect(shown.contains(example.path), "\(example.path) is in no article")
        }
    }

    @Test func namedFilesExist() throws {
        for article in try Repository.files(below: catalog, endings: ["md"]) {
            let text = article.lines.joined(separator: "\n")
            for match in text.matches(of: /`((?:dbus|docs|Sources|Plugins|Tests|Examples)\/[A-Za-z0-9.\/]*)`/) {
                let path = Repository.root.appending(path: String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: path), "\(article.path) names \(match.1)")
            }
        }
    }
}
