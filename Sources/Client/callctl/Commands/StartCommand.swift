// callctl start: start a call.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct StartCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start a call.",
        discussion: """
            Prints the new call's id once its provider has started it. A name means a favorite or, if there is none, a \
            contact, by the beginnings of its words. A name that means several handles is answered with a list of \
            them, and nobody is called.

            Digits behind a comma are sent after the call has connected; those behind a semicolon or a w wait until \
            callctl dtmf --waiting sends them. #31# and *31# before a number hide and show your own.

            For example: callctl start "+46 70 174 06 05", or callctl start carla
            """, aliases: ["dial", "call"])

    @OptionGroup var start: StartArguments
    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        var provider: ObjectPath?
        if let name = start.provider { provider = try await session.snapshot().provider(name).path }
        let options = start.options(provider: provider).merging(start.conflict.options) { own, _ in own }
        try await session.start(try await session.callee(start.handle, with: provider), options)
    }
}

extension Session {
    /// Calls somebody, and prints the new call's id.
    func start(_ callee: Callee, _ options: VariantDictionary) async throws(Failure) {
        let call: ObjectPath = try await call(
            at: DaemonPath.system, Contract.callSystem, "StartCallWith", callee.dialed,
            try await self.options(options, for: callee))
        try report(started: call)
    }

    /// Prints the id of a new call.
    func report(started call: ObjectPath) throws(Failure) {
        try output.result(call.id.printable, json: call.reference)
    }
}
