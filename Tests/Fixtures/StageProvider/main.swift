// A provider in a process of its own, as a worker, that does what it reads from a pipe.
//
// Lines in: inputs in the text form of the core. `#3 incoming …` and `#3 request …` have a label in place of a reply's
// number, `fulfil a2` answers the third Perform; `sync` and `die` are its own. Lines out: `heard …`, `reply 3 …`, `synced`.

import CallCore
import CallModel
import CallScenario
import CallStage
import CallWire
import DBus
import EventLoop
import Glibc
import LinePipes

@LoopActor
final class StageProvider {
    static var shared: StageProvider?
    private let id: String
    private let provider: ScriptedProvider
    private let client: ScriptedClient
    private let output: LinePipe
    private var input: LinePipe?

    init(_ id: String, on channel: any MessageChannel, folder: String) throws {
        self.id = id
        let output = try LinePipe("\(folder)/\(id).out")
        self.output = output
        provider = ScriptedProvider(on: channel) { try? output.send("heard \($0)") }
        client = ScriptedClient(on: channel, host: nil)
        client.onSecondReply = { try? output.send("heard a second reply") }
        input = try LinePipe("\(folder)/\(id).in") { [weak self] in self?.obey($0) }
    }

    private func obey(_ line: String) {
        if line == "die" { _exit(1) }
        if line == "sync" { return sync(rounds: 2) }
        do {
            switch try Input(line: line) {
            case .providerRegistered(_, let configuration, _, _):
                provider.register(configuration)
            case .providerReconfigured(_, let configuration): provider.reconfigure(configuration)
            case .providerRemoved: provider.leave()
            case .reported(let report, _, let label): provider.report(report) { [self] in say(label, $0) }
            case .requested(let request, let label): client.request(request) { [self] in say(label, $0) }
            case .actionFulfilled(let perform, let date, let engine):
                provider.answer(perform: Int(perform.number), .fulfilled(date: date, engine: engine))
            case .actionFailed(let perform, let word, let reason):
                provider.answer(perform: Int(perform.number), .refused(word, reason: reason))
            case .audioReleased: provider.releaseAudio()
            default:
                try output.send("heard what is none of its business: \(line)")
            }
        } catch {
            try? output.send("heard what it did not understand: \(error)")
        }
    }

    /// The link is closed: nothing more is to be heard.
    func end() { try? output.send("synced") }

    private func say(_ label: ReplyID, _ outcome: RequestOutcome) {
        try? output.send("reply \(label.number) \(outcome)")
    }

    /// What the daemon had sent before it answers twice has arrived: what it puts off, it puts off by one turn.
    private func sync(rounds: Int) {
        guard rounds > 0 else {
            try? output.send("synced")
            return
        }
        provider.ping { [self] in sync(rounds: rounds - 1) }
    }
}

@LoopActor
func startWorker(_ folder: String) {
    guard let link = try? PrivateLink(descriptor: 3), let root = ObjectPath(Contract.rootPath),
        let hello = try? Message.call(
            at: root, Contract.workerHost, ProviderMember.System.hello, Contract.protocolVersion, "0", "none")
    else { return Loop.shared.stop() }
    link.onClosed = { _ in
        StageProvider.shared?.end()
        Loop.shared.stop()
    }
    link.call(hello, timeout: .seconds(5)) { result in
        guard let place = try? result.get().read(VariantDictionary.self),
            let id = try? place.value("plugin-id", as: String.self)
        else { return Loop.shared.stop() }
        StageProvider.shared = try? StageProvider(id, on: link, folder: folder)
    }
}

let folder = ProcessEnvironment.current["OPENCALLKIT_STAGE"] ?? ""
Loop.shared.post { startWorker(folder) }
Loop.shared.run()
