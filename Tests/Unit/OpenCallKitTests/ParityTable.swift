// Generates the tables of docs/parity.md from the code, except the names of the tests.

import CallModel
import Foundation

@testable import OpenCallKit

/// Generates the rows of the document. A new symbol or error gets a row without a test, after the other rows of its
/// type; a symbol that is no longer public loses its row.
struct ParityTable {
    /// The first cell of a row, which names its symbol.
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

    /// Returns the generated document.
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
                // All of them at the place of the first one.
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

    /// Every public symbol, except those listed as not in CallKit, and the members of common protocols.
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

    /// Returns the cells of a row; nil for another line.
    private static func cells(_ line: String) -> [String]? {
        guard line.hasPrefix("| `") else { return nil }
        return line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
