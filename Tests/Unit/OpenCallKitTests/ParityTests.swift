// docs/parity.md agrees with the built module: every row has a symbol and a test, and every symbol has a row.

import Foundation
import Testing

/// One line of a table in the document.
private struct Row: Sendable, CustomTestStringConvertible {
    /// The words between backticks in each cell.
    let cells: [[String]]
    let line: String

    var symbol: String { cells.first?.first ?? "" }
    var test: String? { cells.last?.last }
    var testDescription: String { symbol }
}

private let document = (try? String(contentsOf: repository.appending(path: "docs/parity.md"), encoding: .utf8)) ?? ""

private let rows: [Row] = document.components(separatedBy: "\n").filter { $0.hasPrefix("| `") }.map { line in
    let cells = line.split(separator: "|").filter { !$0.allSatisfy(\.isWhitespace) }.map { cell in
        cell.matches(of: /`([^`]+)`/).map { String($0.1) }
    }
    return Row(cells: cells, line: line)
}

@Suite struct ParityTests {
    private let graph: SymbolGraph

    init() throws {
        graph = try SymbolGraph.ofTheSDK()
        try #require(rows.count > 200)
    }

    /// `RECORD=1` rewrites them.
    @Test func tablesAreMadeFromTheCode() throws {
        let made = ParityTable(document, graph).made()
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try made.write(to: repository.appending(path: "docs/parity.md"), atomically: true, encoding: .utf8)
        }
        for line in made.components(separatedBy: "\n").difference(from: document.components(separatedBy: "\n")) {
            Issue.record("\(line)")
        }
    }

    /// Each row has a test that runs against the real daemon: a method of a test case, or of a class that a test case
    /// inherits.
    @Test func everyTestInTheTableExists() throws {
        let folder = repository.appending(path: "Tests/EndToEnd")
        for row in rows {
            let test = try #require(row.test, "\(row.symbol) has no test")
            let parts = test.split(separator: ".").map(String.init)
            try #require(
                parts.count == 3 && parts[0].contains("/test_") && parts[2].hasPrefix("test_"),
                "\(row.symbol) names \(test), which does not run against the daemon")
            let text = try String(contentsOf: folder.appending(path: "\(parts[0]).py"), encoding: .utf8)
            let body = text.components(separatedBy: "\nclass ").first {
                $0.hasPrefix("\(parts[1])(") || $0.hasPrefix("\(parts[1]):")
            }
            #expect(body?.contains("    def \(parts[2])(self)") == true, "\(row.symbol) names \(test)")
            let isRun = text.contains("class \(parts[1])(") || text.contains("(\(parts[1]), ")
            #expect(isRun, "nothing runs \(test)")
        }
    }

    /// 21 classes, 3 protocols, 10 enums, 33 errors in 5 domains, 8 kinds of action, 14 methods of the delegate.
    @Test func nothingOfCallKitIsMissing() {
        let rowed = Set(rows.map(\.symbol))
        func listed(_ kind: String, but own: Set<String>) -> [String] {
            graph.symbols.filter { $0.kind.identifier == kind && !own.contains($0.name) }.map(\.name)
        }
        let classes = listed(
            "swift.class",
            but: [
                "AVAudioSession", "CXCustomAction", "CXTransferCallAction", "CXAnswerTransferCallAction",
                "CXServiceCodeAction",
            ])
        let protocols = listed(
            "swift.protocol", but: ["CXErrorType", "CXErrorTypeCode", "CXIdentifiedByObject", "PluginAccountsDelegate"])
        let enums = listed(
            "swift.enum",
            but: [
                "PluginMain", "DirectoryMain", "CXValue", "CXCall.State", "CXCallEvent", "CXCallUpdate.Progress",
                "CXCallUpdate.Verification", "CXProviderConfiguration.Availability",
                "CXProviderConfiguration.HoldModel", "CXAction.Refusal", "CXCallEndedDetails.Reason",
                "CXCallUpdate.TransferRequest", "PluginAccounts", "PluginAccount.State", "PluginAccount.Problem",
            ])
        #expect(classes.count == 21 && protocols.count == 3 && enums.count == 10)
        for name in classes + protocols + enums where !name.hasSuffix(".Code") {
            #expect(rowed.contains(name), "\(name) has no row")
        }
        #expect(classes.filter { $0.hasSuffix("CallAction") && $0 != "CXCallAction" }.count == 8)
        let errors = rows.filter { $0.symbol.hasPrefix("CXError") && $0.symbol != "CXErrorType.busName" }
        #expect(errors.count == 33 && Set(errors.map { $0.symbol.split(separator: ".")[0] }).count == 5)
        let cases = graph.symbols.filter {
            $0.kind.identifier == "swift.enum.case" && $0.pathComponents.contains("Code")
        }
        #expect(cases.count == 33 && Set(cases.map { $0.pathComponents[0] }).count == 5)
        let delegate = rows.filter { $0.symbol.hasPrefix("CXProviderDelegate.") }
        #expect(delegate.count == 14)
        let methods = graph.symbols.filter {
            $0.kind.identifier == "swift.method" && $0.pathComponents[0] == "CXProviderDelegate"
        }
        // Not CallKit's.
        let own = "CXProviderDelegate.providerDidCancelServiceCode(_:)"
        #expect(Set(methods.map(\.name)).subtracting([own]) == Set(delegate.map(\.symbol)))
        #expect(Set(rows.map(\.symbol)).intersection(classes + protocols).count == 24)
        #expect(Set(delegate.compactMap { $0.cells[0].count > 1 ? $0.cells[0][1] : nil }).count == 8)
    }

    @Test func nothingPublicIsLeftOut() {
        let mentioned = Set(document.matches(of: /`([^`]+)`/).map { String($0.1) })
        let whole: Set = [
            "PluginMain", "DirectoryMain", "PluginAccounts", "PluginAccountsDelegate", "PluginAccount",
            "CXCustomAction", "CXCustomButton", "CXValue", "CXErrorType",
            "CXErrorTypeCode", "CXErrorDetails", "CXIdentifiedByObject", "AVAudioSession", "CXCall.State",
            "CXCallUpdate.Verification", "CXCallUpdate.Progress", "CXProviderConfiguration.Availability",
            "CXProviderConfiguration.HoldModel", "CXAction.Refusal", "CXCallEndedDetails", "CXTransferCallAction",
            "CXAnswerTransferCallAction", "CXServiceCodeAction", "CXCallUpdate.TransferRequest", "CXCallUpdate.Quality",
        ]
        // The members of common protocols.
        let common: Set = [
            "init(from:)", "encode(to:)", "init(rawValue:)", "description", "hash(into:)", "==(_:_:)", "errorDomain",
            "code", "message", "busName", "init(_:message:busName:)", "Code", "details", "init(_:)", "init(busName:)",
        ]
        for symbol in graph.symbols where symbol.pathComponents.count > 1 {
            let parts = symbol.pathComponents
            let isWhole = (1...parts.count).contains { whole.contains(parts.prefix($0).joined(separator: ".")) }
            let isCode = parts.contains("Code")
            let last = parts.last ?? ""
            if isWhole || isCode || common.contains(last) && !mentioned.contains(symbol.name) { continue }
            let isMentioned = mentioned.contains(symbol.name)
            #expect(isMentioned, "\(symbol.name) is not in docs/parity.md")
        }
        #expect(whole.subtracting(mentioned).isEmpty)
    }
}
