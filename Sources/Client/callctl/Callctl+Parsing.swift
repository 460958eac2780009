// Reads the command line: --json wherever it stands, and what was probably meant by an unknown word.

import ArgumentParser

extension Callctl {
    /// Returns the command that the arguments name.
    static func command(from arguments: [String]) throws -> any ParsableCommand {
        let arguments = sorted(arguments)
        do {
            return try parseAsRoot(arguments)
        } catch {
            guard exitCode(for: error) == .validationFailure, let hint = hint(for: arguments) else { throw error }
            throw hint
        }
    }

    /// Returns the arguments with the shared options behind the subcommand: `--json` from anywhere, `--address` from the
    /// beginning.
    private static func sorted(_ arguments: [String]) -> [String] {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        var (words, rest) = (Array(arguments[..<end]), Array(arguments[end...]))
        if words.contains("--json") {
            words.removeAll { $0 == "--json" }
            rest.insert("--json", at: 0)
        }
        if let first = words.first, first.hasPrefix("--address=") {
            words.removeFirst()
            rest.insert(first, at: 0)
        } else if words.count > 1, words[0] == "--address" {
            rest.insert(contentsOf: words[..<2], at: 0)
            words.removeFirst(2)
        }
        return words + rest
    }

    /// Returns an error that names the commands like the unknown one; nil if the command is known or like none.
    private static func hint(for arguments: [String]) -> ValidationError? {
        var command: any ParsableCommand.Type = Callctl.self
        for word in arguments {
            let known = command.configuration.subcommands
            if let next = known.first(where: { $0.word == word }) {
                command = next
                continue
            }
            guard !word.hasPrefix("-"), !known.isEmpty else { return nil }
            let near = word.nearest(among: known.map { $0.word })
            let isUnknown = command == Callctl.self
            guard isUnknown || !near.isEmpty else { return nil }
            let meant = near.map { "\"\($0)\"" }.joined(separator: " or ")
            let guess = near.isEmpty ? "callctl --help lists all" : "did you mean \(meant)?"
            return ValidationError("unknown command \"\(word)\"; \(guess)")
        }
        return nil
    }
}

extension ParsableCommand {
    /// The word on the command line.
    fileprivate static var word: String { configuration.commandName ?? String(describing: Self.self).lowercased() }
}
