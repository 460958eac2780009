// callctl recents read, delete, clear.

import ArgumentParser
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
        let ids = id.map(\.number)  // none = all
        let _: Void = try await session.call(at: DaemonPath.recents, Contract.recents, "MarkRead", ids)
        let calls = all ? "all missed calls" : UInt64(ids.count).counted("call", "calls")
        try session.output.result("marked \(calls) as read", json: .ids(ids))
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
        let _: Void = try await session.call(at: DaemonPath.recents, Contract.recents, "Delete", ids)
        try session.output.result("deleted \(UInt64(ids.count).counted("call", "calls"))", json: .ids(ids))
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

extension JSON {
    /// The JSON that commands print after acting on rows.
    static func ids(_ ids: [Int64]) -> JSON { .object([Member("ids", .array(ids.map { .integer($0) }))]) }
}
