// callctl plugins grant, revoke and forget: what a plugin may use.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop
import WorkerLaunch

extension PluginsCommand {
    struct Grant: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Grant permissions to a plugin; its calls end.",
            discussion: """
                Only what the plugin asks for can be granted: callctl plugins show lists it, with the reasons. A grant \
                is kept until it is revoked or forgotten, for this id in this folder.
                """
        )

        @Argument(help: "The plugin's id, or the beginning of it.", completion: .plugins) var plugin: String
        @Argument(
            help: ArgumentHelp(
                "What to grant, such as network or session-bus:org.example.Name.", valueName: "permission"))
        var permissions: [String]
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.snapshot().plugin(plugin)
            let _: Void = try await session.call(at: found.path, Contract.plugin, "Grant", permissions)
            let plugin = try await session.settled(found)
            let isUpgrade = ["checking", "waiting"].contains(plugin.text("Upgrade"))
            let done =
                "granted \(permissions.joined(separator: ", ")) to \(plugin.id)"
                + (isUpgrade ? "; its new file takes over when it has no call" : "")
            // It is granted, whatever becomes of the plugin.
            let standing =
                switch plugin.state {
                case "ready": ""
                case "needs-consent": "; \(plugin.text("Error"))"
                default: "; \(plugin.standstill ?? "plugin \(plugin.id) is \(plugin.state): \(plugin.text("Error"))")"
                }
            try session.output.result((done + standing).printable, json: plugin.reference)
        }
    }

    struct Revoke: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke permissions of a plugin; its calls end.",
            discussion: "A plugin that needs a revoked permission is not started until it is granted again.")

        @Argument(help: "The plugin's id, or the beginning of it.", completion: .plugins) var plugin: String
        @Argument(help: ArgumentHelp("What to revoke, such as network.", valueName: "permission"))
        var permissions: [String]
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.snapshot().plugin(plugin)
            let _: Void = try await session.call(at: found.path, Contract.plugin, "Revoke", permissions)
            let isStopped = found.permissions.contains { $0.isNeeded && permissions.contains($0.text) }
            let done = "revoked \(permissions.joined(separator: ", ")) from \(found.id)"
            let effect = isStopped ? "; it does not start until it has what it needs" : ""
            try session.output.result((done + effect).printable, json: found.reference)
        }
    }

    struct Forget: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove the data of a plugin, and forget what it was granted; its calls end.",
            discussion: """
                Removes the folders in which the plugin keeps its files, not the plugin itself; and what a plugin has left \
                that you have removed. Its accounts stay; callctl accounts remove removes them.
                """)

        @Argument(
            help: "The plugin's id, or the beginning of it; of a plugin that was removed, the whole id.",
            completion: .plugins)
        var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found: Record
            do throws(Failure) {
                found = try await session.snapshot().plugin(plugin)
            } catch {
                return try await forgetRemains(in: session, or: error)
            }
            let _: Void = try await session.call(at: found.path, Contract.plugin, "Forget")
            try session.output.result("forgot \(found.id)".printable, json: found.reference)
        }

        /// Removes what a plugin has left that is not there.
        ///
        /// - Parameter failure: that there is none by this name.
        @LoopActor private func forgetRemains(in session: Session, or failure: Failure) async throws(Failure) {
            // Not if several begin so.
            guard PluginFile.isID(plugin), failure.message.hasPrefix("no plugin") else { throw failure }
            let found: Bool = try await session.call(
                at: DaemonPath.system, Contract.callSystem, "ForgetPlugin", plugin)
            guard found else { throw Failure(.unknown, "\(failure.message), and nothing is kept of one") }
            try session.output.result("forgot \(plugin)", json: .object([JSON.Member("id", .string(plugin))]))
        }
    }
}
