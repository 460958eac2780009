// The exit codes are the same in Swift, in C, in the documentation and in the systemd unit.

import Foundation
import Testing

@Suite struct ExitCodeTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    private func codes() throws -> [String: Int] {
        let source = try text("Sources/Core/CallModel/ProgramExit.swift")
        let cases = source.matches(of: /case (\w+) = (\d+)/).compactMap { match in
            Int(match.2).map { (String(match.1), $0) }
        }
        return Dictionary(uniqueKeysWithValues: cases)
    }

    @Test func documented() throws {
        let rows = try text("docs/exit-codes.md").matches(of: /\| (\d+) \| `(\w+)` \|/).compactMap { match in
            Int(match.1).map { (String(match.2), $0) }
        }
        #expect(try Dictionary(uniqueKeysWithValues: rows) == codes())
    }

    @Test func inCAndInTheUnit() throws {
        let codes = try codes()
        let source = try text("Sources/Host/callkit-worker/main.c")
        let constants = source.matches(of: /EXIT_([A-Z_]+) = (\d+)/)
        #expect(constants.count == 5)
        for constant in constants {
            let words = constant.1.split(separator: "_").map { $0.lowercased() }
            let name = words[0] + words.dropFirst().map(\.capitalized).joined()
            #expect(codes[name] == Int(constant.2), "\(name)")
        }
        let unit = try text("dbus/callkitd.service.in")
        #expect(unit.contains("RestartPreventExitStatus=\(codes["alreadyRunning"] ?? -1)\n"))
    }
}
