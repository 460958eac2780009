// callctl blocked, allowed: print the user's own lists.

import ArgumentParser
import CallClient
import CallModel
import EventLoop
import Glibc

struct BlockedCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "blocked", abstract: "List the numbers on your block list.",
        discussion: "Prints one per line, in the form that callctl unblock takes.\n\nFor example: callctl blocked")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) { try await session.printRules("Blocked") }
}

struct AllowedCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "allowed", abstract: "List the numbers on your allow list.",
        discussion: "Prints one per line, in the form that callctl disallow takes.\n\nFor example: callctl allowed")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) { try await session.printRules("Allowed") }
}

extension Session {
    /// Prints the rules. That a list is empty is said on stderr, so that each line of stdout is a rule.
    fileprivate func printRules(_ member: String) async throws(Failure) {
        let rules = try await rules(member)
        try output.result(
            rules.map(\.printable).joined(separator: "\n"), json: .array(rules.map { .string($0) }))
        if rules.isEmpty, !output.isJSON { try Output.write("no \(member.lowercased()) numbers\n", to: STDERR_FILENO) }
    }

    /// Returns a list of the user: `Blocked` or `Allowed`.
    func rules(_ member: String) async throws(Failure) -> [String] {
        try await call(at: DaemonPath.directory, Contract.rules, member, waiting: Self.quickTimeout)
    }
}
