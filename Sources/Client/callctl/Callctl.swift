// The root command: the list of commands, how to name calls, the exit codes, and how the command line is read.

import ArgumentParser
import CallModel
import Glibc

struct Callctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callctl",
        abstract: "See and control the calls on this machine.",
        discussion: """
            CALL is the beginning of a call's id, its state, its provider, its caller's name or number, or its object \
            path. It is optional where exactly one call matches; calls that have ended do not count. PROVIDER and \
            PLUGIN are an id, the beginning of an id, or an object path. Without a command, the status is shown.

            --json may stand before or after the command. Keys are in lower case, with dashes. Times are microseconds \
            since the epoch; durations, whose keys end with -ms, are milliseconds.

            On a terminal, a long result is shown with $PAGER, or with less; PAGER=cat shows it at once.

            Completions: callctl --generate-completion-script bash (or zsh, fish).

            Exit codes:
            \(CallctlExit.table)
            """,
        version: "callctl \(OpenCallKitVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Status",
                subcommands: [
                    StatusCommand.self, ListCommand.self, ShowCommand.self, ExplainCommand.self, WatchCommand.self,
                ]),
            CommandGroup(
                name: "Calling",
                subcommands: [
                    StartCommand.self, AnswerCommand.self, RejectCommand.self, EndCommand.self, SilenceCommand.self,
                    PlanCommand.self, UssdCommand.self,
                ]),
            CommandGroup(
                name: "In-call",
                subcommands: [
                    HoldCommand.self, ResumeCommand.self, MuteCommand.self, UnmuteCommand.self, DTMFCommand.self,
                    TranslateCommand.self, TransferCommand.self, AcceptTransferCommand.self,
                    DeclineTransferCommand.self,
                    GroupCommand.self, UngroupCommand.self,
                ]),
            CommandGroup(
                name: "People",
                subcommands: [
                    RecentsCommand.self, FavoritesCommand.self, IdentifyCommand.self, BlockCommand.self,
                    UnblockCommand.self, BlockedCommand.self, AllowCommand.self, DisallowCommand.self,
                    AllowedCommand.self, DirectoryCommand.self, ContactsCommand.self,
                ]),
            CommandGroup(name: "Desktop", subcommands: [AudioCommand.self, DesktopCommand.self]),
            CommandGroup(
                name: "System",
                subcommands: [
                    ProvidersCommand.self, AccountsCommand.self, PluginsCommand.self, AccessCommand.self,
                    ActionCommand.self, DoNotDisturbCommand.self, DoctorCommand.self, ReplayCommand.self,
                    CertifyCommand.self,
                ]),
        ],
        defaultSubcommand: StatusCommand.self)
}

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
            if let next = known.first(where: { $0.words.contains(word) }) {
                command = next
                continue
            }
            guard !word.hasPrefix("-"), !known.isEmpty else { return nil }
            let near = word.nearest(among: known.flatMap { $0.words })
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
    /// The words for it on the command line, the usual one first.
    fileprivate static var words: [String] {
        [configuration.commandName ?? String(describing: Self.self).lowercased()] + configuration.aliases
    }
}

extension Callctl {
    /// The width of help, on every terminal and in every file.
    private static let helpWidth = 80

    /// Prints what the parser has to say, and exits.
    static func finish(_ error: any Error) -> Never {
        let code = exitCode(for: error)
        let text = fullMessage(for: error, columns: helpWidth).inASCII(unless: Terminal.localeIsUnicode)
        let width = code.isSuccess ? helpWidth : Terminal.errorWidth()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).map { line in
            if line.hasPrefix("USAGE: ") || line.hasPrefix("Usage: ") { return line.brokenBetweenOptions(to: width) }
            // The parser has broken the other lines of help. Scripts for completion are not broken at all.
            return code.isSuccess ? line : line.fitted(to: width)
        }
        if !text.isEmpty {
            try? Output.write(
                lines.joined(separator: "\n") + "\n", to: code.isSuccess ? STDOUT_FILENO : STDERR_FILENO)
        }
        Glibc.exit(code.rawValue)
    }
}

extension String {
    /// A text of the program's own, in ASCII unless the terminal has more.
    fileprivate func inASCII(unless isUnicode: Bool) -> String {
        guard !isUnicode else { return self }
        return replacing("…", with: "...").replacing("–", with: "-").inCharacters(whereUnicode: false)
    }

    /// Returns the words of a usage in lines that fit. What is in brackets, such as `[--provider <provider>]`, stays
    /// together.
    fileprivate func brokenBetweenOptions(to width: Int?) -> String {
        let noBreak = "\u{A0}"
        var depth = 0
        let kept = map { character in
            depth += character == "[" ? 1 : character == "]" ? -1 : 0
            return character == " " && depth > 0 ? noBreak : String(character)
        }
        return kept.joined().wrapped(to: width).replacing(noBreak, with: " ")
    }
}
