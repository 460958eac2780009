// callctl replay: plays a recording in a fresh core. Needs no daemon and no bus.

import ArgumentParser
import CallScenario
import Glibc

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Play a recording of callkitd again, without a daemon.",
        discussion: """
            FILE is a recording of callkitd --record, or any scenario file. Prints it with the transcript that its \
            inputs lead to now. If that differs from the transcript in the file, prints the differences to standard \
            error and exits with code \(CallctlExit.differs.rawValue).
            """)

    @Argument(help: ArgumentHelp("A file; - is standard input.", valueName: "file"))
    var file: String

    @Flag(help: "Print only the differences.")
    var quiet = false

    func run() throws {
        do throws(Failure) {
            try replay()
        } catch {
            if error.outcome != .outputClosed { Output.complain(error.message) }
            throw ExitCode(error.outcome.rawValue)
        }
    }

    private func replay() throws(Failure) {
        let text = try Self.text(of: file)
        let scenario: Scenario
        do throws(Scenario.Malformed) {
            scenario = try Scenario(text: text)
        } catch {
            throw Failure(.malformed, "\(file): \(error)")
        }
        let (now, violations) = scenario.recorded()
        if !quiet { try Output(isJSON: false, terminal: .plain).result(Self.shown(now.text), json: .null) }
        let complaints =
            scenario.differences(from: now).map { "\(file), line \($0.line): \($0.text)" }
            + violations.map { "\(file): broken: \($0)" }
        guard complaints.isEmpty else { throw Failure(.differs, complaints.joined(separator: "\n")) }
    }

    /// Returns the text for stdout: without control characters for a terminal, unchanged for a file.
    private static func shown(_ text: String) -> String {
        guard isatty(STDOUT_FILENO) == 1 else { return String(text.dropLast()) }
        return text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
            .joined(separator: "\n")
    }

    private static func text(of file: String) throws(Failure) -> String {
        let descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw Failure(.unknown, "\(file): \(String(cString: strerror(errno)).lowercased())")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw Failure(.unknown, "\(file): \(String(cString: strerror(errno)).lowercased())")
            }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}

extension Scenario {
    /// Returns the differences of each block: missing lines (-) and new lines (+).
    fileprivate func differences(from now: Scenario) -> [(line: Int, text: String)] {
        zip(blocks, now.blocks).compactMap { old, new in
            guard let before = old.transcript, let after = new.transcript, before != after else { return nil }
            let changes = after.difference(from: before).map { change in
                switch change {
                case .remove(_, let line, _): "- \(line)"
                case .insert(_, let line, _): "+ \(line)"
                }
            }
            return (old.line, "after \(old.commands.joined(separator: "; "))\n" + changes.joined(separator: "\n"))
        }
    }
}
