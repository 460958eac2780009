// Every public symbol of the SDK has documentation, with its errors and its counterpart in CallKit.

import Foundation
import Testing

@Suite struct DocumentationTests {
    private let graph: SymbolGraph
    private let documentation: [String: [String]]
    /// The symbols that docs/parity.md names in its parts about CallKit, and those in the other parts.
    private let ofCallKit: Set<String>
    private let ofOurOwn: Set<String>

    init() throws {
        graph = try SymbolGraph.ofTheSDK()
        documentation = Dictionary(grouping: graph.symbols, by: \.name).mapValues { $0.map(\.documentation) }
        try #require(documentation.count > 400)
        let document = try String(contentsOf: repository.appending(path: "docs/parity.md"), encoding: .utf8)
        var named: [Bool: Set<String>] = [:]
        for part in document.components(separatedBy: "\n## ").dropFirst() {
            let isOurOwn = part.hasPrefix("Not in CallKit") || part.hasPrefix("From LiveCommunicationKit")
            for line in part.components(separatedBy: "\n") where isOurOwn || line.hasPrefix("| `") {
                let words = line.matches(of: /`([^`]+)`/).map { String($0.1) }
                named[isOurOwn, default: []].formUnion(line.hasPrefix("| ") ? words.prefix(1) : words[...])
            }
        }
        ofOurOwn = named[true] ?? []
        ofCallKit = (named[false] ?? []).subtracting(ofOurOwn)
        try #require(ofCallKit.count > 200 && ofOurOwn.count > 20)
    }

    /// The symbols of the SDK, the test kit and the module for ports.
    private func allSymbols() throws -> [SymbolGraph.Symbol] {
        let kit = try SymbolGraph(of: "OpenCallKitTestKit").symbols
        let port = try SymbolGraph(of: "OpenCallKitPort").symbols
        let audio = try SymbolGraph(of: "OpenCallKitPort", extending: "OpenCallKit").symbols
        try #require(kit.count > 60 && port.count > 60 && audio.count > 30)
        return graph.symbols + kit + port + audio
    }

    @Test func everySymbolSaysWhatItMeans() throws {
        for symbol in try allSymbols() {
            let text = symbol.documentation.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(!text.isEmpty, "\(symbol.name) is not documented")
            #expect(!text.hasPrefix("- "), "\(symbol.name) has lists without a sentence before them")
        }
    }

    @Test func whatThrowsSaysWhat() throws {
        for symbol in try allSymbols() where symbol.canThrow && symbol.docComment?.module == nil {
            let says = symbol.documentation.contains("- Throws: ")
            #expect(says, "\(symbol.name) does not say what it throws")
        }
    }

    /// A type of CallKit names its counterpart; its members are found there by their names.
    @Test func typesNameTheirCounterparts() {
        let kinds: Set = ["swift.class", "swift.struct", "swift.enum", "swift.protocol", "swift.typealias"]
        for symbol in graph.symbols where kinds.contains(symbol.kind.identifier) && ofCallKit.contains(symbol.name) {
            let text = symbol.documentation.replacing("\n", with: " ")
            let names = text.contains("CallKit: \(symbol.name)")
            #expect(names, "\(symbol.name) does not say \"(CallKit: \(symbol.name))\"")
        }
    }

    @Test func whatIsNotInCallKitSaysSo() {
        for symbol in graph.symbols {
            let parts = symbol.pathComponents
            let parents = parts.indices.dropFirst().map { parts.prefix($0).joined(separator: ".") }
            let texts = parents.flatMap { documentation[$0] ?? [] } + [symbol.documentation]
            let says = texts.contains {
                let text = $0.replacing("\n", with: " ")
                return text.contains("Not in CallKit") || text.contains("AVFAudio")
            }
            // A method of CallKit, for an action that CallKit does not have.
            let concernsOwn = symbol.declarationFragments?.contains { ofOurOwn.contains($0.spelling) } == true
            if ofOurOwn.contains(symbol.name) { #expect(says, "\(symbol.name) does not say \"Not in CallKit\"") }
            if ofCallKit.contains(symbol.name), !concernsOwn { #expect(!says, "\(symbol.name) is in CallKit") }
        }
    }
}
