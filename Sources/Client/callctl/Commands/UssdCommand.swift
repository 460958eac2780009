// callctl ussd: send a service code to a mobile network.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct UssdCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "ussd", abstract: "Send a service code, such as *100#, to a mobile network.",
        discussion: """
            Prints what the network says: your balance, or that your calls are forwarded. If the network asks back, as a \
            menu does, the terminal asks you for the reply; an empty one, Ctrl-D and Ctrl-C end the exchange. A script \
            gives the replies with --reply, one for each question. A network may take a minute.

            Quote the code, since the shell reads its signs: callctl ussd '*100#'
            """, aliases: ["code"])

    @Argument(help: "The service code, or one or two digits.")
    var code: String

    @Option(
        help: "The provider to send it with; default: the only one that sends codes, or the default for numbers.",
        completion: .providers)
    var provider: String?

    @Option(
        name: .customLong("reply"), help: ArgumentHelp("A reply to the network, which asks back.", valueName: "text"))
    var replies: [String] = []

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let network = try await ServiceNetwork(self.provider, session)
        var answer = try await network.send(code)
        var replies = replies[...]
        while answer.asks {
            var reply = replies.popFirst()
            if reply == nil, session.output.isJSON || !TerminalQuestion.isPossible { break }
            if !session.output.isJSON { try network.show(answer) }
            if reply == nil { reply = try TerminalQuestion.line("reply") }
            guard let reply, !reply.isEmpty else { return try await network.cancel() }
            answer = try await network.reply(reply)
        }
        try network.show(answer)
        guard answer.asks else { return }
        try await network.cancel()
        if !session.output.isJSON { Output.complain("the network asks for a reply: give it with --reply") }
    }
}

/// The network of a provider that sends service codes.
@LoopActor
private struct ServiceNetwork {
    private let session: Session
    private let provider: PublishedProvider
    /// How long the daemon waits for the network, and a little longer.
    private let timeout: Duration

    /// - Parameter name: the provider that is asked for; nil for any.
    init(_ name: String?, _ session: Session) async throws(Failure) {
        self.session = session
        let snapshot = try await session.snapshot()
        if let name {
            provider = try snapshot.provider(name)
        } else {
            provider = try await Self.only(of: snapshot, session)
        }
        let deadlines: [String: UInt32] = try await session.property("Deadlines")
        let limit = deadlines[DeadlineKind.serviceCode.rawValue] ?? Deadlines()[.serviceCode]
        timeout = .milliseconds(limit) + Session.quickTimeout
    }

    private static func only(of snapshot: Snapshot, _ session: Session) async throws(Failure) -> PublishedProvider {
        let able = snapshot.providers.filter { $0.configuration.supportsServiceCodes && $0.state == .ready }
        guard let first = able.first else {
            throw Failure(CallError(.notSupported, "no provider sends service codes: that takes a modem with USSD"))
        }
        guard able.count > 1 else { return first }
        let defaults: [String: String] = try await session.property("DefaultProviders")
        let wanted = ["tel", HandleType.phoneNumber.rawValue].compactMap { defaults[$0] }
        guard let standard = able.first(where: { wanted.contains($0.id.rawValue) }) else {
            let names = able.map { "  " + $0.id.rawValue }.joined(separator: "\n")
            throw Failure(.unknown, "\(able.count) providers send service codes, name one with --provider:\n\(names)")
        }
        return standard
    }

    func send(_ code: String) async throws(Failure) -> ServiceAnswer { try await ask("SendServiceCode", code) }
    func reply(_ text: String) async throws(Failure) -> ServiceAnswer { try await ask("ReplyToServiceCode", text) }

    private func ask(_ member: String, _ text: String) async throws(Failure) -> ServiceAnswer {
        let wire: VariantDictionary = try await session.call(
            at: provider.path, Contract.provider, member, text, VariantDictionary(), waiting: timeout)
        return ServiceAnswer(wire["text", default: ""], asks: wire["asks", default: false])
    }

    func cancel() async throws(Failure) {
        let _: Void = try await session.call(
            at: provider.path, Contract.provider, "CancelServiceCode", waiting: Session.quickTimeout)
    }

    func show(_ answer: ServiceAnswer) throws(Failure) {
        let text = answer.text.isEmpty ? "The network has obeyed, and says nothing." : answer.text
        let lines = text.split(separator: "\n").map { $0.description.printable }
        try session.output.result(
            lines.joined(separator: "\n"),
            json: .object([
                .init("provider", .string(provider.id.rawValue)), .init("text", .string(answer.text)),
                .init("asks", .bool(answer.asks)),
            ]))
    }
}
