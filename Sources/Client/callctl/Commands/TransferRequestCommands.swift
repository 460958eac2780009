// callctl accept-transfer, decline-transfer: answer a transfer that the far side asks for.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct AcceptTransferCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept-transfer", abstract: "Let a call go on with whom its far side asks for.",
        usage: "callctl accept-transfer [<call>] <to> [--json] [--address <bus>]",
        discussion: """
            callctl show prints whom the far side asks for. Name that handle: if the far side asks for another one \
            meanwhile, nothing is accepted.
            """)

    @Argument(
        help: ArgumentHelp(
            "The call, optional if only one is asked about; and the handle that the far side asks for.",
            valueName: "to"))
    var words: [String]

    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard (1...2).contains(words.count) else {
            throw ValidationError("expected a call and the handle that its far side asks for")
        }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let call = try await session.find(words.count > 1 ? words.first : nil, or: .askedToTransfer, in: snapshot)
        guard let to = words.last, let asked = call.transferRequest, call.transferRequest.isMeant(by: to) else {
            let asked = call.transferRequest.text
            throw Failure(.refused, "the far side asks for \(asked.isEmpty ? "no transfer" : asked)")
        }
        try await session.answerTransfer(of: call, Struct(asked.type.rawValue, asked.value))
        try session.report("transferred", call, in: snapshot)
    }
}

struct DeclineTransferCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline-transfer", abstract: "Decline a transfer that the far side asks for.")

    @Argument(help: "The call; optional if only one is asked about.", completion: .calls)
    var call: String?

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let snapshot = try await session.snapshot()
        let call = try await session.find(call, or: .askedToTransfer, in: snapshot)
        try await session.answerTransfer(of: call, Struct("", ""))
        try session.report("declined the transfer of", call, in: snapshot)
    }
}

extension Candidates {
    fileprivate static var askedToTransfer: Candidates {
        .that("is to be transferred", "are to be transferred") { $0.can.contains(.answerTransfer) }
    }
}

extension Session {
    fileprivate func answerTransfer(of call: PublishedCall, _ to: Struct<String, String>) async throws(Failure) {
        let action = RequestedAction.on(call, .answerTransfer, ["to": Variant(to)])
        let _: (String, [ObjectPath]) = try await self.call(
            at: DaemonPath.system, Contract.callSystem, "RequestTransaction", [action.wire], VariantDictionary())
    }
}
