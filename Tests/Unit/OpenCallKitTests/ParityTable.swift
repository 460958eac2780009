// The tables of docs/parity.md, made from the code: all but the names of the tests.

import CallModel
import Foundation

@testable import OpenCallKit

/// Makes the rows of the document anew. A symbol or an error that is new gets a row without a test, at the end of its
/// type's; what is not public any more loses its row.
struct ParityTable {
    /// What a row is about: the first cell, as it is written.
    typealias Key = String

    private let graph: SymbolGraph
    private let document: String
    /// The test that each row names.
    private let tests: [Key: String]

    init(_ document: String, _ graph: SymbolGraph) {
        (self.document, self.graph) = (document, graph)
        let rows = document.components(separatedBy: "\n").compactMap(Self.cells)
        tests = Dictionary(rows.map { ($0[0], $0[$0.count - 1]) }) { first, _ in first }
    }

    /// The document as it is to be.
    func made() -> String {
        let wanted = wanted()
        var missing = wanted.filter { tests[$0] == nil }
        let lines = document.components(separatedBy: "\n")
        var made: [String] = []
        for (index, line) in lines.enumerated() {
            guard let key = Self.cells(line)?.first else {
                made.append(line)
                continue
            }
            if key.hasPrefix("`CXErrorCode") || key.hasPrefix("`CXError.") {
                // All of them in one go, where the first one is.
                if index > 0, Self.cells(lines[index - 1]) == nil { made += errors() }
                continue
            }
            if wanted.contains(key) { made.append(line) }
            let type = Self.type(of: key)
            let isLast = !lines[(index + 1)...].contains { Self.cells($0).map { Self.type(of: $0[0]) } == type }
            guard isLast else { continue }
            made += missing.filter { Self.type(of: $0) == type }.map { "| \($0) | none |" }
            missing.removeAll { Self.type(of: $0) == type }
        }
        return (made + missing.map { "| \($0) | none |" }).joined(separator: "\n")
    }

    /// Every public symbol, but those that are said to be this SDK's own, and what comes with being a value or data.
    private func wanted() -> [Key] {
        let own = Set(
            (document.components(separatedBy: "\n## Not in CallKit").last ?? "").matches(of: /`([^`]+)`/).map {
                String($0.1)
            })
        let common: Set = [
            "init(from:)", "encode(to:)", "init(rawValue:)", "description", "hash(into:)", "==(_:_:)", "rawValue",
        ]
        var keys: [Key] = []
        for symbol in graph.symbols {
            let parts = symbol.pathComponents
            let isOwn = (1...parts.count).contains { own.contains(parts.prefix($0).joined(separator: ".")) }
            let isError = parts[0].hasPrefix("CXError")
            let isState = parts.starts(with: ["CXCall", "State"]) && parts.count > 2
            var key = "`\(symbol.name)`"
            if symbol.name == "CXProviderDelegate.provider(_:perform:)" {
                let action = symbol.declarationFragments?.map(\.spelling).last { $0.hasPrefix("CX") } ?? ""
                if own.contains(action) { continue }
                key += " with `\(action)`"
            }
            let isRowed = tests[key] != nil
            if isRowed && !isError || !isRowed && !isOwn && !isError && !isState && !common.contains(parts.last ?? "") {
                if !keys.contains(key) { keys.append(key) }
            }
        }
        return keys + (names.contains("CXErrorType.busName") ? ["`CXErrorType.busName`"] : [])
    }

    private var names: Set<String> { Set(graph.symbols.map(\.name)) }

    private func errors() -> [String] {
        func rows<Failure: CXErrorType>(_ type: Failure.Type) -> [String] {
            Failure.Code.allCases.map { code in
                let first = code.busName
                let others = ErrorCode.allCases.map(\.busName).filter {
                    $0 != first && Failure.Code(busName: $0) == code
                }
                let words = ([first] + others).map { "`\($0.split(separator: ".").last ?? "")`" }
                let text = code.rawValue == 0 ? "\(words[0]), and any other" : words.joined(separator: ", ")
                let key = "`\(type).\(code)`"
                return "| \(key) | \(code.rawValue) | \(text) | \(tests[key] ?? "none") |"
            }
        }
        return rows(CXError.self) + rows(CXErrorCodeIncomingCallError.self)
            + rows(CXErrorCodeRequestTransactionError.self) + rows(CXErrorCodeCallDirectoryManagerError.self)
            + rows(CXErrorCodeNotificationServiceExtensionError.self)
    }

    private static func type(of key: Key) -> Substring { key.dropFirst().prefix { $0 != "." && $0 != "`" } }

    /// Nil for what is no row.
    private static func cells(_ line: String) -> [String]? {
        guard line.hasPrefix("| `") else { return nil }
        return line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
