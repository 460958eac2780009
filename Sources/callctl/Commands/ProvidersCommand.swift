// callctl providers: where calls can come from and go to.

import ArgumentParser
import DBus
import EventLoop

struct ProvidersCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List the providers, and the actions of their own.")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let providers = try await session.snapshot().providers
        try session.output.result(
            Self.table(of: providers, on: session.output.terminal), json: .array(providers.map(\.json)))
    }

    static func table(of providers: [Record], on terminal: Terminal) -> String {
        guard !providers.isEmpty else { return "no providers" }
        var table = Table(columns: [
            Table.Column(title: "ID", isFlexible: true), Table.Column(title: "STATE"),
            Table.Column(title: "NAME", isFlexible: true), Table.Column(title: "HANDLES", isFlexible: true),
            Table.Column(title: "LIMITS"), Table.Column(title: "ACTIONS", isFlexible: true),
        ])
        table.rows = providers.map { provider in
            let isReady = provider.text("State") == "ready"
            let limits = [provider.number("MaximumCallGroups"), provider.number("MaximumCallsPerCallGroup")]
            return [
                Cell(provider.id, .bold), Cell(provider.text("State"), isReady ? .green : .red),
                Cell(provider.text("LocalizedName")),
                Cell(provider.words("SupportedHandleTypes").joined(separator: ", ")),
                Cell(limits.map(String.init).joined(separator: "×")),
                Cell(provider.customActions.joined(separator: ", ")),
            ]
        }
        return table.text(on: terminal)
    }
}

extension Record {
    /// The ids for `callctl action`.
    var customActions: [String] {
        let pairs: [Struct<String, String>]? = try? properties["CustomActions"]?.value()
        return (pairs ?? []).map { pair in
            let (id, _) = pair.fields
            return id
        }
    }
}
