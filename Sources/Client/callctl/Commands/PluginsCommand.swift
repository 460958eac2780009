// callctl plugins: lists, enables, disables and restarts plugins. What they may use has files of its own.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "List, write, install, enable, disable or restart plugins, and decide what they may use.",
        subcommands: [
            List.self, Show.self, New.self, Install.self, Upgrade.self, Remove.self, Grant.self, Revoke.self,
            Enable.self,
            Disable.self, Restart.self, Forget.self,
        ], defaultSubcommand: List.self, aliases: ["plugin"])

    struct List: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the plugins.",
            discussion: """
                PERMISSIONS lists what each plugin asks for; those with a question mark come first, and are not \
                granted. SANDBOX is the level at which its worker is confined: full, landlock, syscalls or none. Below \
                the table is why plugins do not run.
                """)

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let plugins = try await session.snapshot().plugins
            if plugins.isEmpty, !session.output.isJSON {
                let folder = (try? Session.pluginFolder()).map { "; it comes into \($0)" } ?? ""
                let text =
                    "no plugins; to install one, Name.so or Name.callplugin: callctl plugins install FILE\(folder)"
                return try session.output.result(text.printable, json: .array([]))
            }
            try session.output.result(
                PluginsCommand.table(of: plugins, on: session.output.terminal), json: .array(plugins.map(\.json)))
        }
    }

    struct Enable: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enable a plugin, or release it from quarantine.")

        @Argument(help: "The plugin's id, or the beginning of it.", completion: .plugins) var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.snapshot().plugin(plugin)
            let wasAllowed = found.value("Enabled") == true && found.state != "quarantined"
            try await session.set(found, enabled: true)
            let plugin = wasAllowed && found.state == "ready" ? found : try await session.settled(found)
            if let failure = PluginsCommand.failure(of: plugin, after: found) { throw failure }
            let done = wasAllowed ? "\(plugin.id) is enabled already" : "enabled \(plugin.id)"
            try session.output.result(done.printable, json: plugin.reference)
        }
    }

    struct Disable: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Disable a plugin; its calls end.")

        @Argument(help: "The plugin's id, or the beginning of it.", completion: .plugins) var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.snapshot().plugin(plugin)
            try await session.set(found, enabled: false)
            let done = found.value("Enabled") == false ? "\(found.id) is disabled already" : "disabled \(found.id)"
            try session.output.result(done.printable, json: found.reference)
        }
    }

    struct Restart: BusCommand {
        static let configuration = CommandConfiguration(abstract: "Restart a plugin; its calls end.")

        @Argument(help: "The plugin's id, or the beginning of it.", completion: .plugins) var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let plugin = try await session.snapshot().plugin(plugin)
            let _: Void = try await session.call(at: plugin.path, Contract.plugin, "Restart")
            try session.output.result("restarted \(plugin.id)".printable, json: plugin.reference)
        }
    }

    static func table(of plugins: [Record], on terminal: Terminal) -> String {
        var table = Table(columns: [
            .main("ID"), .fixed("VERSION").leaves(6), .flexible("KINDS").leaves(4), "STATE", .right("PID").leaves(1),
            .right("RESTARTS").leaves(2),
            .fixed("SANDBOX").leaves(3), .flexible("PERMISSIONS").leaves(5),
        ])
        table.rows = plugins.map { plugin in
            let (pid, restarts) = (plugin.number("Pid"), plugin.number("Restarts"))
            return [
                Cell(plugin.id, .bold), Cell(plugin.text("Version")),
                Cell(plugin.words("Kinds").joined(separator: " ")),
                Cell(plugin.text("State"), style(of: plugin.text("State"))),
                Cell(pid == 0 ? "" : String(pid)), Cell(restarts == 0 ? "" : String(restarts)),
                Cell(plugin.text("Sandbox"), plugin.text("Sandbox") == "full" ? .green : .yellow),
                Cell(plugin.permissions.marked),
            ]
        }
        let errors = plugins.flatMap { plugin in
            let upgrade = plugin.upgradeProblem.map { "its new file \($0)" }
            let texts = [plugin.text("Error")] + plugin.words("Problems") + [upgrade ?? ""]
            return texts.filter { !$0.isEmpty }.map { (plugin.id, Cell($0)) }
        }
        if errors.isEmpty { return table.text(on: terminal) }
        return table.text(on: terminal) + "\n\n" + Table.facts(errors, on: terminal)
    }

    static func style(of state: String) -> Style {
        switch state {
        case "ready": .green
        case "starting", "restarting", "needs-consent": .yellow
        case "quarantined", "incompatible": .red
        default: .dim
        }
    }
}

extension PluginsCommand {
    /// Why a plugin that was to start does not run; nil if it runs.
    ///
    /// - Parameter old: the plugin before; nil for one that was not there.
    static func failure(of plugin: Record, after old: Record?) -> Failure? {
        let (state, error) = (plugin.state, plugin.text("Error"))
        let again = state == old?.state ? " again" : ""
        switch state {
        case "ready": return nil
        case "needs-consent": return Failure(.refused, "\(plugin.id) is not started: \(error)".printable)
        default:
            return Failure(.refused, "\(plugin.id) is \(state)\(again)\(error.isEmpty ? "" : ": \(error)")".printable)
        }
    }
}

extension Record {
    /// Why the plugin does not run, and what to type; nil if it runs, or is started.
    var standstill: String? {
        let error = text("Error")
        return switch state {
        case "quarantined": "plugin \(id) is quarantined: \(error); try: callctl plugins restart \(id)"
        case "incompatible": "plugin \(id) is incompatible: \(error)"
        case "needs-consent": "plugin \(id) is not started: \(error)"
        case "disabled": "plugin \(id) is disabled; try: callctl plugins enable \(id)"
        default: nil
        }
    }
}

extension Session {
    /// A plugin must be ready for so long before it counts as running: one that crashes right after its start does not.
    private nonisolated static let provenTime = Duration.milliseconds(1_500)
    private nonisolated static let settlingTimeout = Duration.seconds(30)

    fileprivate func set(_ plugin: Record, enabled isEnabled: Bool) async throws(Failure) {
        try await setProperty("Enabled", of: Contract.plugin, at: plugin.path, to: isEnabled)
    }

    /// Waits until a plugin that was enabled runs for a while with one worker, or is not started any more.
    func settled(_ plugin: Record) async throws(Failure) -> Record {
        let (start, changes) = (MonotonicTime.now, changes)
        var last = plugin
        var since = start
        while true {
            let now = MonotonicTime.now
            let properties: VariantDictionary = try await call(
                at: plugin.path, StandardInterface.properties, "GetAll", Contract.plugin,
                waiting: Self.quickTimeout)
            let new = Record(plugin.path, properties)
            if new.number("Pid") != last.number("Pid") || new.text("State") != last.text("State") { since = now }
            last = new
            switch new.text("State") {
            case "quarantined", "incompatible", "disabled", "needs-consent": return new
            case "ready" where now.duration(since: since) >= Self.provenTime: return new
            case "ready" where !new.words("Kinds").contains("provider"): return new
            default: break
            }
            let rest = Self.settlingTimeout - now.duration(since: start)
            guard rest > .zero else { return new }
            let isReady = new.text("State") == "ready"
            try await changes.change(within: isReady ? Self.provenTime - now.duration(since: since) : rest)
        }
    }
}

extension [AskedPermission] {
    /// The permissions as tables show them: first those that are not granted, each with a question mark. A narrow table
    /// cuts the others off.
    var marked: String {
        (filter { !$0.isGranted }.map { "\($0.text)?" } + filter(\.isGranted).map(\.text)).joined(separator: ", ")
    }
}
