// callctl providers: the providers of calls and their custom actions.

import ArgumentParser
import DBus
import EventLoop

struct ProvidersCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List the providers and their custom actions.")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        let providers = try await session.snapshot().providers
        try session.output.result(
            Self.tables(of: providers, on: session.output.terminal), json: .array(providers.map(\.json)))
    }

    /// Returns a table of the providers and, below it, a table of their custom actions.
    static func tables(of providers: [Record], on terminal: Terminal) -> String {
        guard !providers.isEmpty else { return "no providers" }
        var table = Table(columns: [
            .flexible("ID"), "STATE", .flexible("NAME"), .flexible("HANDLES"), "VIDEO", "GROUPS",
        ])
        var actions = Table(columns: [
            .flexible("PROVIDER"), .flexible("ACTION"), .flexible("LABEL"),
        ])
        for provider in providers {
            let (state, name) = (provider.text("State"), provider.text("LocalizedName"))
            let limits = (provider.number("MaximumCallGroups"), provider.number("MaximumCallsPerCallGroup"))
            table.rows.append([
                Cell(provider.id, .bold), Cell(state, state == "ready" ? .green : .red),
                Cell(name == provider.id ? "" : name),
                Cell(provider.words("SupportedHandleTypes").joined(separator: ", ")),
                Cell(provider.flag("SupportsVideo") ? "yes" : ""), Cell("\(limits.0) of \(limits.1)"),
            ])
            actions.rows += provider.customActions.map { [Cell(provider.id, .bold), Cell($0.id), Cell($0.label)] }
        }
        let tables = actions.rows.isEmpty ? [table] : [table, actions]
        return tables.map { $0.text(on: terminal) }.joined(separator: "\n\n")
    }
}

extension Record {
    /// The provider's custom actions.
    fileprivate var customActions: [(id: String, label: String)] {
        let pairs: [Struct<String, String>]? = try? properties["CustomActions"]?.value()
        return (pairs ?? []).map { pair in
            let (id, label) = pair.fields
            return (id, label)
        }
    }
}
