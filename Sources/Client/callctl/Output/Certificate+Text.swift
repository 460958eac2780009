// The result of a certification as text and as JSON.

import Certification

extension Verdict.Result {
    /// The result in words, for a column of its own.
    var words: String {
        switch self {
        case .passed: "passed"
        case .failed: "FAILED"
        case .notApplicable: "n/a"
        case .notTried: "not tried"
        }
    }

    var style: Style {
        switch self {
        case .passed: .green
        case .failed: .red
        case .notApplicable: .dim
        case .notTried: .yellow
        }
    }
}

extension Verdict {
    private static let resultWidth = 11

    /// Returns a line for the point; if it failed, or if `isVerbose`, with what was expected.
    func text(_ isVerbose: Bool, on terminal: Terminal) -> String {
        let result = result.style.applied(to: result.words, on: terminal)
        let space = String(repeating: " ", count: Self.resultWidth - self.result.words.displayWidth)
        let indent = Self.resultWidth + Point.nameWidth
        guard isVerbose || self.result == .failed else {
            return result + space + point.rawValue.padded(to: Point.nameWidth) + seen.block(indent, on: terminal)
        }
        let expected = Style.dim.applied(to: "expected", on: terminal)
        let seenWord = Style.dim.applied(to: "seen", on: terminal)
        return result + space + point.rawValue.padded(to: Point.nameWidth)
            + expected + "  " + point.expectation.block(indent + 10, on: terminal) + "\n"
            + String(repeating: " ", count: indent) + seenWord + "      " + seen.block(indent + 10, on: terminal)
    }

    /// Returns a line for several points that were not tried.
    static func untried(_ verdicts: [Verdict], on terminal: Terminal) -> String {
        let word = Result.notTried.style.applied(to: Result.notTried.words, on: terminal)
        let space = String(repeating: " ", count: resultWidth - Result.notTried.words.displayWidth)
        let names = verdicts.map(\.point.rawValue).joined(separator: ", ")
        return word + space + "\(verdicts.count) points: \(names)".block(resultWidth, on: terminal)
    }

    var json: JSON {
        .object([
            JSON.Member("name", .string(point.rawValue)), JSON.Member("result", .string(result.rawValue)),
            JSON.Member("expected", .string(point.expectation)), JSON.Member("seen", .string(seen)),
        ])
    }
}

extension Certificate {
    func summary(on terminal: Terminal) -> String {
        let counts = Verdict.Result.allCases.filter { count($0) > 0 }.map { "\(count($0)) \($0.words.lowercased())" }
        let verdict = isGranted ? "certified" : "not certified"
        let style: Style = isGranted ? .green : .red
        return plugin.printable + ": " + style.applied(to: verdict, on: terminal) + ", "
            + counts.joined(separator: ", ")
    }

    var json: JSON {
        .object([
            JSON.Member("plugin", .string(plugin)), JSON.Member("certified", .bool(isGranted)),
            JSON.Member("points", .array(verdicts.map(\.json))),
        ])
    }
}

extension Point {
    /// The width of the longest name and a gap.
    static let nameWidth = (allCases.map { $0.rawValue.displayWidth }.max() ?? 0) + 2

    static func list(on terminal: Terminal) -> String {
        allCases.map { point in
            Style.bold.applied(to: point.rawValue.padded(to: nameWidth), on: terminal)
                + point.expectation.block(nameWidth, on: terminal) + "\n"
                + String(repeating: " ", count: nameWidth)
                + Style.dim.applied(to: point.reason.block(nameWidth, on: terminal), on: terminal)
        }.joined(separator: "\n")
    }

    var json: JSON {
        .object([
            JSON.Member("name", .string(rawValue)), JSON.Member("expected", .string(expectation)),
            JSON.Member("reason", .string(reason)),
        ])
    }
}

extension String {
    /// Returns the printable text in lines that fit to the right of `indent` columns; the first line is not indented.
    fileprivate func block(_ indent: Int, on terminal: Terminal) -> String {
        let text = printable
        guard let width = terminal.width, text.displayWidth > width - indent, width - indent >= 20 else { return text }
        return text.lines(first: width - indent, rest: width - indent)
            .joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}
