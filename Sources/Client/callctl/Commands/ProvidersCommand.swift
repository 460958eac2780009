// callctl providers: the providers of calls and their custom actions.

import ArgumentParser
import CallClient
import DBus
import EventLoop

struct ProvidersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "List the providers, and choose which takes a call.",
        subcommands: [List.self, Find.self, Default.self, Emergency.self], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(abstract: "List the providers and their custom actions.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let providers = try await session.snapshot().providers
            try session.output.result(
                ProvidersCommand.tables(of: providers, on: session.output.terminal),
                json: .array(providers.map(\.json)))
        }
    }

    /// Returns how many calls a provider can have at once: `2 calls`, or `2 groups of 5`.
    static func text(groups: UInt32, calls: UInt32) -> String {
        func count(_ number: UInt32, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        switch (groups, calls) {
        case (_, 1): return count(groups, "call")
        case (1, _): return "a group of \(calls)"
        default: return "\(count(groups, "group")) of \(calls)"
        }
    }

    /// Returns a table of the providers and, below it, a table of their custom actions.
    static func tables(of providers: [Record], on terminal: Terminal) -> String {
        guard !providers.isEmpty else { return "no providers" }
        var table = Table(columns: [
            .flexible("ID"), "STATE", .flexible("NAME"), .flexible("CALLS"), "VIDEO", .flexible("AT ONCE"),
            .flexible("STATUS"),
        ])
        var actions = Table(columns: [
            .flexible("PROVIDER"), .flexible("ACTION"), .flexible("LABEL"),
        ])
        for provider in providers {
            let name = provider.text("LocalizedName")
            let limits = (provider.number("MaximumCallGroups"), provider.number("MaximumCallsPerCallGroup"))
            table.rows.append([
                Cell(provider.id, .bold), Cell(provider.stateAndAvailability, provider.isReady ? .green : .red),
                Cell(name == provider.id ? "" : name),
                Cell(provider.words("SupportedHandleTypes").joined(separator: ", ")),
                Cell(provider.flag("SupportsVideo") ? "yes" : ""), Cell(Self.text(groups: limits.0, calls: limits.1)),
                Cell(provider.text("Status")),
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
        let actions: [VariantDictionary] = value("CustomActions") ?? []
        return actions.map { ($0["id", default: ""], $0["label", default: ""]) }
    }

    /// The state, and the availability unless that is `online`.
    fileprivate var stateAndAvailability: String {
        let (state, availability) = (text("State"), text("Availability"))
        return state == "ready" && !["", "online"].contains(availability) ? availability : state
    }

    fileprivate var isReady: Bool { stateAndAvailability == "ready" }
}
