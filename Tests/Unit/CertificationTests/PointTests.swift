// The texts of the points equal those in docs/certify.md.

import Foundation
import Testing

@testable import Certification

@Suite struct PointTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test func documented() throws {
        let text = try String(contentsOf: Self.root.appending(path: "docs/certify.md"), encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let expected = Point.allCases.map { "| `\($0.rawValue)` | \($0.expectation) | \($0.reason) |" }
        #expect(rows == expected, "docs/certify.md and PointExpectations.swift say the same")
    }

    @Test(arguments: Point.allCases) func wording(_ point: Point) {
        for text in [point.expectation, point.reason] {
            #expect(!text.hasSuffix(".") && !text.contains("|"), "\(point)")
            #expect(text.count <= 120, "\(point)")
            #expect(text.first?.isUppercase == false || text.hasPrefix("CX") || text.hasPrefix("Audio"), "\(text)")
        }
    }

    @Test func certificate() {
        let passed = Verdict(.start, .passed, seen: "")
        let missing = Verdict(.group, .notApplicable, seen: "")
        #expect(Certificate(plugin: "A", verdicts: [passed, missing]).isGranted)
        for result in [Verdict.Result.failed, .notTried] {
            let certificate = Certificate(plugin: "A", verdicts: [passed, Verdict(.hold, result, seen: "")])
            #expect(!certificate.isGranted)
            #expect(certificate.count(result) == 1)
        }
    }
}
