// callctl block, unblock, allow, disallow: change the user's own lists.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

/// A command that requests a change for each rule. A refused rule does not stop the others.
protocol RuleCommand: BusCommand {
    var number: [String] { get }
    static var participle: String { get }
    /// Changes the list, by a rule as it is kept. Returns whether it was otherwise before.
    @LoopActor func change(_ rule: String, in session: Session) async throws(Failure) -> Bool
}

extension RuleCommand {
    @LoopActor func run(in session: Session) async throws(Failure) {
        var done: [String] = []
        var said: [String] = []
        var failures: [Failure] = []
        for number in number {
            do throws(Failure) {
                let rule = try await session.rule(number)
                let isNew = try await change(rule.text, in: session)
                done.append(rule.text)
                let text = isNew ? "\(Self.participle) \(rule.text)" : "\(rule.text) is \(Self.participle) already"
                said.append(text + (rule.lacksRegion ? "; \(String.unknownRegion)" : ""))
            } catch {
                guard error.outcome == .refused || error.outcome == .unknown else { throw error }
                failures.append(error)
            }
        }
        try session.output.result(
            said.map(\.printable).joined(separator: "\n"), json: .array(done.map { .string($0) }))
        if let first = failures.first {
            throw Failure(first.outcome, failures.map(\.message).joined(separator: "\n"))
        }
    }
}

/// A rule as the daemon keeps it.
private struct KeptRule: Readable {
    let properties: VariantDictionary

    /// As the lists show it.
    var text: String { text("rule") }

    /// Whether it is a national number, and nobody knows of which region.
    var lacksRegion: Bool { properties["region"] == .string("") }
}

extension String {
    /// What to say of a national number that was not made an international one, and of there being no region.
    static let unknownRegion =
        "the region of your numbers is unknown, so those without a country code are compared as they are written; to set it, "
        + "add the line region = SE, with your country's letters, to ~/.config/opencallkit/callkitd.conf, and start callkitd "
        + "again"
}

extension Session {
    fileprivate func rule(_ text: String) async throws(Failure) -> KeptRule {
        KeptRule(
            properties: try await call(
                at: DaemonPath.directory, Contract.rules, "ReadRule", text, waiting: Self.quickTimeout))
    }

    /// Adds a rule to a list of the user. Returns whether the list is another one now: the same rule can be written in
    /// several ways.
    fileprivate func add(_ member: String, _ rule: String, to list: String) async throws(Failure) -> Bool {
        let before = try await rules(list)
        let _: Void = try await call(at: DaemonPath.directory, Contract.rules, member, rule)
        return try await rules(list) != before
    }

    /// Removes a rule from a list of the user. Fails if it is not there.
    fileprivate func remove(_ member: String, _ rule: String, from list: String) async throws(Failure) -> Bool {
        let removed: UInt32 = try await call(at: DaemonPath.directory, Contract.rules, member, rule)
        guard removed > 0 else {
            throw Failure(.unknown, "no rule \(rule) in your \(list) list; callctl \(list)ed prints it".printable)
        }
        return true
    }
}

extension ArgumentHelp {
    /// The forms of a rule.
    fileprivate static let rule = ArgumentHelp(
        "A number, +4670… (or +4670*), +4670123????, +46900000000-+46909999999, an address, generic:TEXT, or withheld.",
        valueName: "number")
}

struct BlockCommand: RuleCommand {
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Refuse calls from these numbers.",
        discussion: "For example: callctl block +46701740605 '+4690*' withheld")
    static let participle = "blocked"

    @Argument(help: .rule) var number: [String]
    @OptionGroup var shared: SharedOptions

    @LoopActor func change(_ rule: String, in session: Session) async throws(Failure) -> Bool {
        try await session.add("Block", rule, to: "Blocked")
    }
}

struct UnblockCommand: RuleCommand {
    static let configuration = CommandConfiguration(
        commandName: "unblock", abstract: "Remove numbers from your block list.",
        discussion: "For example: callctl unblock +46701740605")
    static let participle = "unblocked"

    @Argument(help: .rule) var number: [String]
    @OptionGroup var shared: SharedOptions

    @LoopActor func change(_ rule: String, in session: Session) async throws(Failure) -> Bool {
        try await session.remove("Unblock", rule, from: "block")
    }
}

struct AllowCommand: RuleCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow", abstract: "Let calls from these numbers ring, even if a list blocks them.",
        discussion: "For example: callctl allow +46701740605")
    static let participle = "allowed"

    @Argument(help: .rule) var number: [String]
    @OptionGroup var shared: SharedOptions

    @LoopActor func change(_ rule: String, in session: Session) async throws(Failure) -> Bool {
        try await session.add("Allow", rule, to: "Allowed")
    }
}

struct DisallowCommand: RuleCommand {
    static let configuration = CommandConfiguration(
        commandName: "disallow", abstract: "Remove numbers from your allow list.",
        discussion: "For example: callctl disallow +46701740605")
    static let participle = "no longer allowed"

    @Argument(help: .rule) var number: [String]
    @OptionGroup var shared: SharedOptions

    @LoopActor func change(_ rule: String, in session: Session) async throws(Failure) -> Bool {
        try await session.remove("Disallow", rule, from: "allow")
    }
}
