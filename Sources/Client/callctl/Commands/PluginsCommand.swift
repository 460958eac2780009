// callctl plugins: lists, enables, disables and restarts plugins.

import ArgumentParser
import CallModel
import EventLoop

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "List, enable, disable or restart plugins.",
        subcommands: [List.self, Enable.self, Disable.self, Restart.self], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(abstract: "List the plugins.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let plugins = try await session.snapshot().plugins
            try session.output.result(
                PluginsCommand.table(of: plugins, on: session.output.terminal), json: .array(plugins.map(\.json)))
        }
    }

    struct Enable: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enable a plugin, or release it from quarantine.")

        @Argument var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            try await session.act(onPlugin: plugin, "Enable", saying: "enabled")
        }
    }

    struct Disable: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Disable a plugin; its calls end.")

        @Argument var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            try await session.act(onPlugin: plugin, "Disable", saying: "disabled")
        }
    }

    struct Restart: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Restart a plugin; its calls end.")

        @Argument var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            try await session.act(onPlugin: plugin, "Restart", saying: "restarted")
        }
    }

    static func table(of plugins: [Record], on terminal: Terminal) -> String {
        guard !plugins.isEmpty else { return "no plugins" }
        var table = Table(columns: [
            .flexible("ID"), "STATE", .right("PID"), "SDK", .right("RESTARTS"), .flexible("ERROR"),
            .flexible("FILE"),
        ])
        table.rows = plugins.map { plugin in
            let (pid, restarts) = (plugin.number("Pid"), plugin.number("Restarts"))
            return [
                Cell(plugin.id, .bold), Cell(plugin.text("State"), style(of: plugin.text("State"))),
                Cell(pid == 0 ? "" : String(pid)), Cell(plugin.text("SDKVersion")),
                Cell(restarts == 0 ? "" : String(restarts)), Cell(plugin.text("Error")),
                Cell(plugin.text("Path"), .dim),
            ]
        }
        return table.text(on: terminal)
    }

    static func style(of state: String) -> Style {
        switch state {
        case "ready": .green
        case "starting", "restarting": .yellow
        case "quarantined", "incompatible": .red
        default: .dim
        }
    }
}

extension Session {
    fileprivate func act(onPlugin reference: String, _ member: String, saying done: String) async throws(Failure) {
        let plugin = try await snapshot().plugin(reference)
        let _: Void = try await call(at: plugin.path, Contract.plugin, member)
        try output.result("\(done) \(plugin.id)".printable, json: plugin.reference)
    }
}
