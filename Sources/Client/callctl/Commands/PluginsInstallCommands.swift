// callctl plugins install, upgrade and remove: the plugins in the user's own folder.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop
import Files
import Glibc
import WorkerLaunch

struct NewFileArguments: ParsableArguments, Sendable {
    @Argument(help: ArgumentHelp("The library or the bundle.", valueName: "file")) var file: String
    @Flag(help: "Do not wait for the end of the plugin's calls: end them.") var now = false
}

extension PluginsCommand {
    struct Install: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Install a plugin, or a new version of it, into your own folder.",
            discussion: """
                FILE is Name.so or the bundle Name.callplugin. It is copied and checked before anything changes. If the \
                plugin runs already, the new version takes over when the plugin has no call; the command waits for that. A \
                version that does not work is taken back, and so is one for which you stop waiting: Ctrl-C.
                """)

        @OptionGroup var new: NewFileArguments
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            try await session.install(new.file, endingCalls: new.now, replacing: false)
        }
    }

    struct Upgrade: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put a new version in the place of a plugin; as install, but only if it is there.")

        @OptionGroup var new: NewFileArguments
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            try await session.install(new.file, endingCalls: new.now, replacing: true)
        }
    }

    struct Remove: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a plugin from your own folder, when it has no call.",
            discussion: """
                The command waits until the plugin has no call; Ctrl-C leaves the plugin as it is. What the plugin has kept, \
                and what you have granted to it, stays for a later installation. To remove that too, type callctl plugins \
                forget.
                """)

        @Argument(help: "The plugin's id, or the beginning of it.", completion: .plugins) var plugin: String
        @Flag(help: "Do not wait for the end of the plugin's calls: end them.") var now = false
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let found = try await session.snapshot().plugin(plugin)
            let (path, folder) = (found.text("Path"), try Session.pluginFolder())
            guard path.deletingLastElement == folder else {
                throw Failure(.refused, "\(found.id) is in \(path), which is not your own folder \(folder)".printable)
            }
            if !now { try await session.waitUntilIdle(found) }
            do throws(SystemError) {
                try PluginInstallation.remove(path)
            } catch {
                throw Failure(.refused, "\(path) is not removed: \(error)".printable)
            }
            try await session.waitUntilGone(found)
            try session.output.result("removed \(found.id)".printable, json: found.reference)
        }
    }
}

extension Session {
    /// How long a plugin may take until the daemon shows it, or does not show it any more.
    private nonisolated static let appearance = Duration.seconds(10)

    static func pluginFolder() throws(Failure) -> String {
        let path = PluginSearchPath(environment: ProcessEnvironment.current, executableFolder: "/")
        guard let folder = path.userFolder else {
            throw Failure(.refused, "HOME is not set, so you have no folder of plugins")
        }
        return folder
    }

    fileprivate func install(_ source: String, endingCalls: Bool, replacing: Bool) async throws(Failure) {
        let changes = changes
        var interruption: Int32?
        let signals = try? SignalWatch([SIGINT, SIGTERM, SIGHUP]) { number in
            interruption = number
            changes.interrupt()
        }
        defer { signals?.cancel() }
        let known = try await snapshot().plugins
        let folder = try Self.pluginFolder()
        let copy: PluginInstallation
        do throws(PluginFileError) {
            copy = try PluginInstallation(of: source, in: folder)
        } catch {
            throw Failure(.refused, "\(source) \(error)".printable)
        }
        let id = copy.file.id
        let old = known.first { $0.id == id }
        let asked = Set(copy.file.manifest.asked.map(\.text))
        let lost = (old?.permissions ?? []).map(\.text).filter { !asked.contains($0) }.joined(separator: ", ")
        guard lost.isEmpty || !copy.file.resourceDirectory.isEmpty else {
            copy.finish()
            let isOwn = old?.text("Path").deletingLastElement == folder
            let remedy = isOwn ? ", or first type: callctl plugins remove \(id)" : ""
            throw Failure(
                .refused,
                "\(source) is a library alone, which may use nothing, and \(id) asks for \(lost): install its bundle\(remedy)"
                    .printable)
        }
        guard old != nil || !replacing else {
            copy.finish()
            throw Failure(
                .unknown, "there is no plugin \(id) to upgrade; try: callctl plugins install \(source)".printable)
        }
        do throws(SystemError) {
            try copy.exchange()
            // The same plugin under another name would hide this one, or be hidden.
            if let path = old?.text("Path"), path != copy.place,
                path.deletingLastElement == copy.place.deletingLastElement
            {
                try copy.setAside(path)
            }
        } catch {
            copy.finish()
            throw Failure(.refused, "\(copy.place) is not written: \(error)".printable)
        }
        let plugin: Record
        do throws(Failure) {
            plugin = try await outcome(of: copy, old, endingCalls: endingCalls)
            if plugin.upgradeProblem == nil, let path = plugin.hider(of: copy.place) {
                throw Failure(.refused, "\(copy.place) would be hidden by \(path)".printable)
            }
        } catch {
            try? copy.takeBack()
            guard let interruption else { throw error }
            Output.complain(
                "the new file is taken back; " + (old == nil ? "\(id) is not installed" : "\(id) stays as it was"))
            Interruption.end(by: interruption)
        }
        copy.finish()
        for line in copy.file.manifest.unknown {
            Output.complain("warning: \(PluginManifest.fileName), \(line); it is passed over".printable)
        }
        let version = copy.file.manifest.version
        let name = version.isEmpty ? id : "\(id) \(version)"
        let done: String
        if let problem = plugin.upgradeProblem {
            done = "the new file of \(id) \(problem)"
        } else {
            let complaint = plugin.state == "needs-consent" ? "; \(plugin.text("Error"))" : ""
            let loss = lost.isEmpty ? "" : "; it no longer asks for \(lost)"
            done = "\(old == nil ? "installed" : "upgraded") \(name)\(loss)\(complaint)"
        }
        try output.result(done.printable, json: plugin.reference)
    }

    /// Waits until the daemon runs the new file.
    private func outcome(
        of copy: PluginInstallation, _ old: Record?, endingCalls: Bool
    ) async throws(Failure) -> Record {
        let id = copy.file.id
        if let old { let _: String = try await call(at: old.path, Contract.plugin, "Rescan") }
        let start = MonotonicTime.now
        var hasTold = false
        while true {
            guard let plugin = try await snapshot().plugins.first(where: { $0.id == id }) else {
                let rest = Self.appearance - MonotonicTime.now.duration(since: start)
                guard rest > .zero else {
                    throw Failure(
                        .refused, "callkitd does not look for plugins in \(copy.place.deletingLastElement)".printable)
                }
                try await changes.change(within: rest)
                continue
            }
            switch plugin.text("Upgrade") {
            case "":
                let settled = try await settled(plugin)
                if ["ready", "needs-consent", "disabled"].contains(settled.state) { return settled }
                throw PluginsCommand.failure(of: settled, after: nil)
                    ?? Failure(.refused, "\(id) does not run".printable)
            case "waiting" where endingCalls:
                let _: Void = try await call(at: plugin.path, Contract.plugin, "Restart")
            case "waiting":
                if !hasTold {
                    Output.complain(
                        "\(id) is checked, and takes over when its calls have ended; to end them now: --now")
                }
                hasTold = true
            case "checking": break
            case "needs-consent": return plugin
            case let stage:
                throw Failure(
                    .refused, "the new version of \(id) is \(stage): \(plugin.text("UpgradeError"))".printable)
            }
            try await changes.change()
        }
    }

    /// Waits until the daemon has seen that the file of a plugin is gone.
    fileprivate func waitUntilGone(_ plugin: Record) async throws(Failure) {
        let (changes, start) = (changes, MonotonicTime.now)
        while try await snapshot().plugins.contains(where: {
            $0.id == plugin.id && $0.text("Path") == plugin.text("Path")
        }) {
            let rest = Self.appearance - MonotonicTime.now.duration(since: start)
            guard rest > .zero else { return }
            try await changes.change(within: rest)
        }
    }

    /// Waits until no call is left of the providers of a plugin.
    fileprivate func waitUntilIdle(_ plugin: Record) async throws(Failure) {
        let changes = changes
        var hasTold = false
        while true {
            let snapshot = try await snapshot()
            let own = Set(snapshot.providers.filter { $0.plugin == plugin.id }.map(\.id))
            guard snapshot.calls.contains(where: { !$0.hasEnded && $0.provider.map(own.contains) ?? false }) else {
                return
            }
            if !hasTold {
                Output.complain("\(plugin.id) has calls, and is removed when they have ended; to end them now: --now")
            }
            hasTold = true
            try await changes.change()
        }
    }
}

extension Record {
    /// The path that the plugin runs from, if it is another one than this.
    fileprivate func hider(of place: String) -> String? {
        let path = text("Path")
        guard let own = try? FileStatus.resolve(path), let other = try? FileStatus.resolve(place) else { return nil }
        return own == other ? nil : path
    }
}
