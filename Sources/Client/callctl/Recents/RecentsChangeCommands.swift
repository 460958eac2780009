// callctl recents read, delete, clear.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct RecentsReadCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Mark missed calls as read.",
        discussion: "For example: callctl recents read 12 14, or callctl recents read --all")

    @Argument(help: "The ids that callctl recents shows.")
    var id: [RecentID] = []

    @Flag(help: "All missed calls.")
    var all = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard all == id.isEmpty else { throw ValidationError("expected either calls or --all") }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        if all {
            let marked: UInt32 = try await session.call(at: DaemonPath.recents, Contract.recents, "MarkAllRead")
            return try session.output.result(
                "marked \(UInt64(marked).counted("call", "calls")) as read", json: .count(marked))
        }
        let ids = id.map(\.number)
        try await session.requireRecents(ids)
        let marked: UInt32 = try await session.call(at: DaemonPath.recents, Contract.recents, "MarkRead", ids)
        let calls = marked == 0 ? "read already" : "marked \(UInt64(marked).counted("call", "calls")) as read"
        try session.output.result(calls, json: .ids(ids))
    }
}

struct RecentsDeleteCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Delete recent calls.",
        discussion: "For example: callctl recents delete 12 14")

    @Argument(help: "The ids that callctl recents shows.")
    var id: [RecentID]

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let ids = id.map(\.number)
        try await session.requireRecents(ids)
        let deleted: UInt32 = try await session.call(at: DaemonPath.recents, Contract.recents, "Delete", ids)
        guard deleted > 0 else { throw Failure(.refused, "nothing was deleted: calls that go on stay in the recents") }
        try session.output.result("deleted \(UInt64(deleted).counted("call", "calls"))", json: .ids(ids))
    }
}

struct RecentsClearCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Delete all recent calls.",
        discussion: "This cannot be undone, so it requires --yes.\n\nFor example: callctl recents clear --yes")

    @Flag(help: "Confirm the deletion.")
    var yes = false

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard yes else { throw ValidationError("this deletes all recent calls; confirm with --yes") }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        let _: Void = try await session.call(at: DaemonPath.recents, Contract.recents, "Clear")
        try session.output.result("deleted all recent calls", json: .object([]))
    }
}

extension Session {
    /// Fails, before anything is changed, if one of the rows is missing.
    func requireRecents(_ ids: [Int64]) async throws(Failure) {
        let rows: [VariantDictionary] = try await call(
            at: DaemonPath.recents, Contract.recents, "Get", ids, waiting: Self.quickTimeout)
        let found = Set(rows.map { Int64(clamping: RecentCall(properties: $0).id) })
        let missing = ids.filter { !found.contains($0) }
        guard missing.isEmpty else {
            throw Failure(.unknown, missing.map { "no recent \($0)" }.joined(separator: "\n"))
        }
    }
}

extension JSON {
    /// The JSON that commands print after acting on all rows.
    fileprivate static func count(_ count: UInt32) -> JSON { .object([Member("count", .unsigned(UInt64(count)))]) }

    /// The JSON that commands print after acting on rows.
    static func ids(_ ids: [Int64]) -> JSON { .object([Member("ids", .array(ids.map { .integer($0) }))]) }
}
