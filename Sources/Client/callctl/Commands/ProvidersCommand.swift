// callctl providers: the providers of calls and their custom actions.

import ArgumentParser
import CallClient
import CallModel
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

    static let noProviders = "no providers; callctl plugins tells which plugins there are, and why one does not run"

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
    static func tables(of providers: [PublishedProvider], on terminal: Terminal) -> String {
        guard !providers.isEmpty else { return noProviders }
        var table = Table(columns: [
            .main("ID"), "STATE", .flexible("NAME").leaves(3), .flexible("CALLS").leaves(4), .fixed("VIDEO").leaves(1),
            .flexible("AT ONCE").leaves(2), .flexible("STATUS"),
        ])
        var actions = Table(columns: [
            .flexible("PROVIDER"), .main("ACTION"), .flexible("LABEL").leaves(1),
        ])
        for provider in providers {
            let (id, declared) = (provider.id.rawValue, provider.configuration)
            let limits = (declared.maximumCallGroups, declared.maximumCallsPerCallGroup)
            table.rows.append([
                Cell(id, .bold), Cell(provider.stateAndAvailability, provider.isReady ? .green : .red),
                Cell(declared.localizedName == id ? "" : declared.localizedName),
                Cell(
                    (declared.supportedHandleTypes.map(\.rawValue) + declared.supportedSchemes.map { "\($0):" })
                        .joined(separator: ", ")),
                Cell(declared.supportsVideo ? "yes" : ""), Cell(Self.text(groups: limits.0, calls: limits.1)),
                Cell(declared.status),
            ])
            actions.rows += declared.customActions.map { [Cell(id, .bold), Cell($0.id), Cell($0.label)] }
        }
        let tables = actions.rows.isEmpty ? [table] : [table, actions]
        return tables.map { $0.text(on: terminal) }.joined(separator: "\n\n")
    }
}

extension PublishedProvider {
    fileprivate var isReady: Bool { state == .ready && configuration.availability == .online }

    /// The state, and the availability unless that is `online`.
    fileprivate var stateAndAvailability: String {
        state == .ready && !isReady ? configuration.availability.rawValue : state.rawValue
    }
}
