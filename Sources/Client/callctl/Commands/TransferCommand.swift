// callctl transfer: hand a call over.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct TransferCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer", abstract: "Transfer a call to somebody else, or to another call.",
        usage: """
            callctl transfer [<call>] <to> [--json] [--address <bus>]
            callctl transfer [<call>] --to-call <call> [--json] [--address <bus>]
            """,
        discussion: """
            The far side calls TO instead; with --to-call it is connected with the far side of the other call, of the \
            same provider. The call ends, and so does the other one.

            For example: callctl transfer active carla
            """)

    @Argument(
        help: ArgumentHelp(
            "The call, optional if only one can be transferred; and a handle or a name, as in callctl start.",
            valueName: "to"))
    var words: [String] = []

    @Option(help: ArgumentHelp("The call to connect it with.", valueName: "call"), completion: .calls)
    var toCall: String?

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard (0...1).contains(words.count - (toCall == nil ? 1 : 0)) else {
            throw ValidationError("expected a call and whom to transfer it to, or --to-call")
        }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let action: RequestedAction
        let target: PublishedCall
        if let toCall {
            let other = try await session.find(toCall, or: .transferable { _ in true }, in: snapshot)
            target = try await session.find(words.first, or: .transferable { $0.path != other.path }, in: snapshot)
            action = .on(target, .transferTo, ["other": .objectPath(other.path)])
        } else {
            target = try await session.find(
                words.count > 1 ? words.first : nil, or: .transferable { _ in true }, in: snapshot)
            let callee = try await session.callee(words.last ?? "", with: target.providerPath)
            action = .on(target, .transfer, ["to": .string(callee.handle)])
        }
        let _: (String, [ObjectPath]) = try await session.call(
            at: DaemonPath.system, Contract.callSystem, "RequestTransaction", [action.wire], VariantDictionary())
        try session.report("transferred", target, in: snapshot)
    }
}

extension Candidates {
    fileprivate static func transferable(_ fits: @escaping @Sendable (PublishedCall) -> Bool) -> Candidates {
        .that("can be transferred", "can be transferred") { $0.can.contains(.transfer) && fits($0) }
    }
}
