// callctl access: what sandboxed apps may see and do.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct AccessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access", abstract: "List what sandboxed apps may do, and grant or revoke it.",
        discussion: """
            Every app may see that there are calls, without names, and act on its own calls. For more it needs a tier:

              control     start calls, and act on all of them
              identity    know callers: names, recents, favorites, contacts and rules
              administer  change settings, and these grants

            Your own programs outside any sandbox may do everything.
            """,
        subcommands: [List.self, Grant.self, Revoke.self], defaultSubcommand: List.self)

    struct List: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the apps that have a tier, or were refused something since the daemon started.")

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let apps = try await session.accessOfApps()
            try session.output.result(
                AccessCommand.table(of: apps, on: session.output.terminal), json: .array(apps.map(\.access)))
        }
    }

    struct Grant: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Grant tiers to an app.",
            discussion: "For example: callctl access grant org.example.Phone identity")

        @Argument(help: "The app's id.")
        var app: String

        @Argument(help: .tiers)
        var tiers: [TierArgument]

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let _: Void = try await session.call(
                at: DaemonPath.access, Contract.access, "Grant", app, tiers.map(\.tier.rawValue))
            try await session.tellAccess(of: app)
        }
    }

    struct Revoke: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke tiers of an app; all of them if none is named.")

        @Argument(help: "The app's id.")
        var app: String

        @Argument(help: .tiers)
        var tiers: [TierArgument] = []

        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let _: Void = try await session.call(
                at: DaemonPath.access, Contract.access, "Revoke", app, tiers.map(\.tier.rawValue))
            try await session.tellAccess(of: app)
        }
    }

    private static func table(of apps: [AppAccess], on terminal: Terminal) -> String {
        guard !apps.isEmpty else { return "no app has a tier, and none was refused anything" }
        var table = Table(columns: [
            .main("APP"), .flexible("GRANTED"), .fixed("REFUSED").leaves(2), .fixed("WHEN").leaves(1),
        ])
        let now = WallTime.now
        table.rows = apps.map { app in
            let tiers = app.words("tiers").joined(separator: ", ")
            return [
                Cell(app.text("app"), .bold), Cell(tiers.isEmpty ? "nothing" : tiers),
                Cell(app.text("refused-tier"), .yellow),
                Cell(app.time("refused-at")?.calendarText(at: now) ?? "", .dim),
            ]
        }
        return table.text(on: terminal)
    }
}

/// A tier on the command line: one that can be granted.
struct TierArgument: ExpressibleByArgument {
    let tier: AccessTier

    init?(argument: String) {
        guard let tier = AccessTier(rawValue: argument), AccessTier.grantable.contains(tier) else { return nil }
        self.tier = tier
    }

    static var allValueStrings: [String] { AccessTier.grantable.map(\.rawValue) }
}

extension ArgumentHelp {
    fileprivate static let tiers = ArgumentHelp("See callctl access --help.", valueName: "tier")
}

extension Session {
    /// The apps that were granted or refused something, by id.
    fileprivate func accessOfApps() async throws(Failure) -> [AppAccess] {
        let apps: [String: VariantDictionary] = try await call(at: DaemonPath.access, Contract.access, "Apps")
        return apps.sorted { $0.key < $1.key }.map { app, facts in
            AppAccess(properties: facts.merging(["app": .string(app)]) { first, _ in first })
        }
    }

    /// Prints what an app may do now.
    fileprivate func tellAccess(of id: String) async throws(Failure) {
        let app = try await accessOfApps().first { $0.text("app") == id }
        let tiers = app?.words("tiers") ?? []
        let names = tiers.joined(separator: ", ")
        let standing =
            switch tiers.count {
            case 0: "has no tier"
            case 1: "has the tier \(names)"
            default: "has the tiers \(names)"
            }
        try output.result(
            "\(id) \(standing)".printable,
            json: .object([
                JSON.Member("app", .string(id)), JSON.Member("tiers", .array(tiers.map { .string($0) })),
            ]))
    }
}

/// What an app may do, and was refused last.
private struct AppAccess: Readable {
    let properties: VariantDictionary

    var access: JSON {
        var members = [
            JSON.Member("app", .string(text("app"))), JSON.Member("tiers", .array(words("tiers").map { .string($0) })),
        ]
        if let time = time("refused-at") {
            members += [
                JSON.Member("refused", .string(text("refused"))),
                JSON.Member("refused-tier", .string(text("refused-tier"))),
                JSON.Member("refused-at", .unsigned(time.microseconds)),
            ]
        }
        return .object(members)
    }
}
