// callctl desktop keys: keys that answer, decline, silence and hang up.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop
import Files

struct KeysCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "Bind keys that answer, decline, silence and hang up.",
        discussion: """
            Where the desktop's portal keeps global shortcuts (GNOME 48, Plasma), the desktop asks you once, and its settings \
            change the keys. Elsewhere this prints what to put into the desktop's own settings; --apply does it, without \
            the portal, on GNOME, Budgie, Cinnamon, MATE and Xfce.
            """)

    @Flag(help: "Put the keys into the desktop's own settings.") var apply = false
    @Flag(help: "Give the portal's keys up.") var off = false
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        guard !apply || !off else { throw ValidationError("expected either --apply or --off") }
    }

    @LoopActor func run(in session: Session) async throws(Failure) {
        if off {
            let _: Void = try await session.shortcuts("Release")
            return try session.output.result("the agent binds no keys", json: .object([]))
        }
        if !apply, let triggers = try await session.boundTriggers() {
            return try session.output.result(text(of: triggers), json: .object(triggers.members))
        }
        try await bindInSettings(session)
    }

    private func text(of triggers: [String: String]) -> String {
        let lines = CallKey.allCases.compactMap { key in
            triggers[key.rawValue].map {
                "\(key.label): \($0.isEmpty ? "a key that the desktop does not name" : $0)".printable
            }
        }
        return lines.isEmpty
            ? "no key is bound; choose some in the desktop's settings" : lines.joined(separator: "\n")
    }

    @LoopActor private func bindInSettings(_ session: Session) async throws(Failure) {
        let recipe = try await recipe()
        if apply {
            guard recipe.isCommands else {
                throw Failure(.refused, "\(recipe.desktop) has no command for keys; see callctl desktop keys")
            }
            for line in recipe.lines { _ = try await ShellCommand.run(line) }
        }
        let title =
            apply && !recipe.lines.isEmpty ? "\(recipe.desktop): done" : "\(recipe.desktop): \(recipe.place)"
        let lines = apply ? [] : recipe.lines
        try session.output.result(
            ([title] + lines.map { "    \($0)".printable }).joined(separator: "\n"),
            json: .object([
                JSON.Member("desktop", .string(recipe.desktop)), JSON.Member("applied", .bool(apply)),
                JSON.Member("lines", .array(recipe.lines.map { .string($0) })),
            ]))
    }

    @LoopActor private func recipe() async throws(Failure) -> KeyRecipe {
        let program = KeyRecipe.Program(path: (try? ObservedProcess.current())?.link("exe") ?? "callctl")
        let desktops = (ProcessEnvironment.current["XDG_CURRENT_DESKTOP"] ?? "").lowercased().split(separator: ":")
        for desktop in desktops.map(String.init) {
            if let settings = KeySettings.of(desktop) {
                var listed = ""
                if let command = settings.listCommand { listed = try await ShellCommand.run(command) }
                return settings.recipe(program, listed: listed)
            }
            if let recipe = KeyRecipe.of(desktop, program) { return recipe }
        }
        return .unknown(program)
    }
}

extension Session {
    /// The desktop may ask the user.
    private static let questionTimeout = Duration.seconds(300)

    /// Binds keys at the desktop's portal, and returns what triggers them; nil if there is no such portal, or no agent.
    fileprivate func boundTriggers() async throws(Failure) -> [String: String]? {
        do throws(Failure) {
            return try await shortcuts("Bind")
        } catch {
            guard error.outcome == .unreachable || error.message.hasPrefix("NotSupported:") else { throw error }
            return nil
        }
    }

    fileprivate func shortcuts<each Answer: DBusType & Sendable>(_ member: String) async throws(Failure) -> (
        repeat each Answer
    ) {
        try await call(
            of: .desktop, at: BusService.desktopPath, Contract.shortcuts, member, waiting: Self.questionTimeout)
    }
}

extension [String: String] {
    fileprivate var members: [JSON.Member] {
        sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }
    }
}
