// callctl blocked, allowed: what is on the user's own lists.

import ArgumentParser
import CallModel
import EventLoop

struct BlockedCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "blocked", abstract: "List the numbers on your block list.",
        discussion: "A line each, as callctl unblock takes it.\n\nFor example: callctl blocked")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        try await session.printRules("Blocked")
    }
}

struct AllowedCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "allowed", abstract: "List the numbers on your allow list.",
        discussion: "A line each, as callctl disallow takes it.\n\nFor example: callctl allowed")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        try await session.printRules("Allowed")
    }
}

extension Session {
    /// Nothing is printed for an empty list, which scripts can rely on.
    fileprivate func printRules(_ member: String) async throws(Failure) {
        let rules: [String] = try await call(
            at: Self.directory, Contract.directory, member, waiting: Self.quickMilliseconds)
        try output.result(
            rules.map(\.printable).joined(separator: "\n"), json: .array(rules.map { .string($0) }))
    }
}
