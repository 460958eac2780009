// callctl doctor: whether the daemon is well, and what to do about it if not.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct DoctorCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check how the daemon, its plugins, its store and the accounts fare.",
        discussion: "Exits with 1 if there is a problem. Does not start the daemon.")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        guard try await session.isRunning(.daemon) else {
            throw Failure(.unreachable, "callkitd is not running; an installed one starts when it is asked")
        }
        let began = MonotonicTime.now
        let health: VariantDictionary = try await session.property("Health")
        let findings = Findings(
            health: health, answeredIn: MonotonicTime.now.duration(since: began),
            snapshot: try await session.snapshot(), accounts: try await session.accounts(),
            directories: (try? await session.directoryExtensions()) ?? [],
            region: try await session.property("Region"), desktop: try await session.desktopSettings())
        try session.output.result(findings.text(on: session.output.terminal), json: findings.json)
        let count = findings.problems.count
        if count > 0 { throw Failure(.refused, count == 1 ? "1 problem" : "\(count) problems") }
    }
}

extension Session {
    /// What is wrong with the settings of a desktop agent that runs; "" for nothing.
    fileprivate func desktopSettings() async throws(Failure) -> String {
        guard try await isRunning(.desktop) else { return "" }
        let properties: VariantDictionary = try await call(
            of: .desktop, at: BusService.desktopPath, StandardInterface.properties, "GetAll", Contract.desktop,
            waiting: Self.quickTimeout)
        let parts: [VariantDictionary] = properties["Parts"].flatMap { try? $0.value() } ?? []
        let part = parts.first { $0["name", default: ""] == "settings" && !$0["ready", default: true] }
        return part?["text", default: ""] ?? ""
    }
}

/// What the doctor has found.
struct Findings {
    /// A turn of the daemon's loop that is longer than this is felt in calls, in milliseconds.
    static let longestTurn: UInt32 = 250

    let health: VariantDictionary
    let answeredIn: Duration
    let snapshot: Snapshot
    let accounts: AccountBook
    /// Empty while the store is away.
    var directories: [ExtensionReport] = []
    /// The region of national numbers; "" if it is unknown.
    var region = ""
    /// What is wrong with the settings of the desktop agent; "" for nothing.
    var desktop = ""

    /// What is wrong, each with what to do.
    var problems: [String] {
        var problems: [String] = []
        let lag: UInt32 = health["loop-lag-ms", default: 0]
        if lag > Self.longestTurn {
            problems.append("callkitd was too busy to read for \(lag) ms; callctl watch shows what goes on")
        }
        for plugin in snapshot.plugins {
            if plugin.state != "disabled", let standstill = plugin.standstill { problems.append(standstill.printable) }
            problems += plugin.words("Problems").map { "plugin \(plugin.id): \($0)".printable }
            if let text = plugin.upgradeProblem {
                problems.append("the new file of plugin \(plugin.id) \(text)".printable)
            }
        }
        let lesser = Set(SandboxLevel.allCases.filter { $0 < .landlock }.map(\.rawValue))
        for plugin in snapshot.plugins where lesser.contains(plugin.text("Sandbox")) {
            let remedy = "; see: callctl plugins show \(plugin.id)"
            problems.append("plugin \(plugin.id) can read and change your files\(remedy)")
        }
        for provider in snapshot.providers where provider.state != .ready {
            problems.append("provider \(provider.id) is \(provider.state.rawValue)")
        }
        for provider in snapshot.providers
        where provider.state == .ready && provider.configuration.availability != .online {
            let (availability, status) = (provider.configuration.availability, provider.configuration.status)
            let facts = [status, denial(of: provider) ?? ""].filter { !$0.isEmpty }
            if !facts.isEmpty {
                problems.append(
                    "provider \(provider.id) is \(availability.rawValue): \(facts.joined(separator: "; "))".printable)
            }
        }
        for account in accounts.rows where !["disabled", "connecting", "ready"].contains(account.state) {
            let remedy = "; try: callctl accounts show \(accounts.shortID(of: account))"
            problems.append("account \(accounts.report(on: account))\(remedy)")
        }
        for name: String in health["silent", default: []] {
            problems.append("\(name) did not answer in time; nobody waits for it until it does")
        }
        let degraded: String = health["degraded", default: ""]
        if !degraded.isEmpty { problems.append("recents, favorites and rules are not kept: \(degraded)") }
        let files: [String] = health["files", default: []]
        problems += files.map(\.printable)
        if !desktop.isEmpty { problems.append("the desktop agent: \(desktop)".printable) }
        return problems
    }

    /// What the plugin of a provider that does not work may not use, and what to type; nil if that is no hint.
    private func denial(of provider: PublishedProvider) -> String? {
        guard let plugin = snapshot.plugins.first(where: { $0.id == provider.plugin }), plugin.text("Sandbox") != "none"
        else { return nil }
        let denied = plugin.permissions.filter { !$0.isGranted }.map(\.text)
        if !denied.isEmpty {
            return "its plugin may not use \(denied.joined(separator: ", ")); to allow that: "
                + "callctl plugins grant \(plugin.id) \(denied.map(\.shellWord).joined(separator: " "))"
        }
        guard !plugin.permissions.contains(where: { $0.text == Permission.network.text }) else { return nil }
        return
            "its plugin may not use the network, and does not ask for it: that takes a bundle with Needs=network; in "
            + "Plugin.ini"
    }

    func text(on terminal: Terminal) -> String {
        let waiting: UInt32 = health["calls-waiting", default: 0]
        let requests: UInt32 = health["requests-waiting", default: 0]
        let refused: UInt64 = health["refused", default: 0]
        var facts = [
            ("callkitd", Cell("answers in \(answeredIn.milliseconds) ms")),
            ("busy", Cell("for \(health["loop-lag-ms", default: UInt32(0)]) ms at most in the last minutes")),
            ("waiting", Cell("\(waiting) method calls, \(requests) requests to providers")),
            ("to send", Cell("\(health["bytes-to-send", default: UInt64(0)]) bytes")),
            ("refused", Cell("\(refused) method calls since the start")),
            ("sandboxes", Cell(sandboxes)),
        ]
        let emergency = snapshot.providers.emergencyText
        facts.append(
            ("emergency", emergency.map { Cell($0) } ?? Cell("no provider reaches the emergency services", .bold)))
        facts.append(
            (
                "region",
                region.isEmpty
                    ? Cell(String.unknownRegion, .bold) : Cell(region)
            ))
        facts += directories.filter { $0.count("left-out") > 0 }.map { one in
            ("lists", Cell("\(one.id) left out \(one.leftOut); see: callctl directory report \(one.id)".printable))
        }
        facts += problems.enumerated().map { ($0 == 0 ? "problems" : "", Cell($1, .bold)) }
        if problems.isEmpty { facts.append(("problems", Cell("none"))) }
        return Table.facts(facts, on: terminal)
    }

    /// How the running plugins are confined, by level.
    private var sandboxes: String {
        let levels = Dictionary(grouping: snapshot.plugins) { $0.text("Sandbox") }
        return SandboxLevel.allCases.sorted(by: >).map(\.rawValue).compactMap { level in
            levels[level].map { "\(level): \($0.map(\.id).joined(separator: ", "))" }
        }.joined(separator: "; ")
    }

    var json: JSON {
        var members = health.members
        members.append(JSON.Member("answered-in-ms", .unsigned(UInt64(max(0, answeredIn.milliseconds)))))
        let reaching = snapshot.providers.filter(\.reachesEmergencyServices)
        members.append(
            JSON.Member(
                "emergency",
                .object(
                    reaching.map {
                        JSON.Member(
                            $0.id.rawValue, .array($0.configuration.emergencyNumbers.map { .string($0) }))
                    })))
        members.append(JSON.Member("region", .string(region)))
        members.append(JSON.Member("problems", .array(problems.map { .string($0) })))
        return .object(members)
    }
}
