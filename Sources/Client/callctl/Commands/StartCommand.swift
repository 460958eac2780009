// callctl start: start a call.

import ArgumentParser
import CallModel
import DBus
import EventLoop

struct StartCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a call.",
        discussion: "Prints the new call's id once its provider has started it.")

    @OptionGroup var start: StartArguments
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        var provider: ObjectPath?
        if let name = start.provider { provider = try await session.snapshot().provider(name).path }
        let options = start.options(provider: provider).merging(start.conflict.options) { own, _ in own }
        if (try? DialString(parsing: start.handle)) == nil,
            let favorite = try FavoriteRow.named(start.handle, in: try await session.favorites())
        {
            try await session.start(favorite, options)
        } else {
            try await session.start(start.handle, options)
        }
    }
}

extension Session {
    /// Starts a call and prints its id.
    func start(_ handle: String, _ options: VariantDictionary) async throws(Failure) {
        let call: ObjectPath = try await call(
            at: DaemonPath.system, Contract.callSystem, "StartCallWith", handle, options)
        try report(started: call)
    }

    /// Prints the id of a new call.
    func report(started call: ObjectPath) throws(Failure) {
        try output.result(Record.id(of: call).printable, json: Record(call, [:]).reference)
    }
}

extension Record {
    /// The object's path and id: the JSON that commands print after acting on a call.
    var reference: JSON {
        .object([JSON.Member("object", .string(path.text)), JSON.Member("id", .string(id))])
    }
}
