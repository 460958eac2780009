// callctl plugins show: one plugin, what it asks for and why, and how it is confined.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

extension PluginsCommand {
    struct Show: BusCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a plugin, what it asks for and why, and how it is confined.")

        @Argument(help: "The plugin's id, or the beginning of it.", completion: .plugins) var plugin: String
        @OptionGroup var shared: SharedOptions

        @LoopActor func run(in session: Session) async throws(Failure) {
            let plugin = try await session.snapshot().plugin(plugin)
            try session.output.result(plugin.pluginText(on: session.output.terminal), json: plugin.json)
        }
    }
}

extension Record {
    /// The facts about a plugin, one per line, without empty ones.
    fileprivate func pluginText(on terminal: Terminal) -> String {
        let (pid, restarts) = (number("Pid"), number("Restarts"))
        var facts: [(String, Cell)] = [
            ("id", Cell(id, .bold)),
            ("version", Cell(text("Version"))),
            ("state", Cell(text("State"), PluginsCommand.style(of: text("State")))),
            ("error", Cell(text("Error"))),
            ("new file", Cell(upgradeText, .yellow)),
            ("kinds", Cell(words("Kinds").joined(separator: ", "))),
            ("file", Cell(text("Path"))),
            ("SDK", Cell(text("SDKVersion"))),
            ("pid", Cell(pid == 0 ? "" : String(pid))),
            ("restarts", Cell(restarts == 0 ? "" : String(restarts))),
            ("sandbox", Cell(sandboxText)),
            ("not enforced", Cell(words("SandboxGaps").joined(separator: ", "), .yellow)),
        ]
        facts += words("Problems").enumerated().map { ($0 == 0 ? "problems" : "", Cell($1, .bold)) }
        for isNeeded in [true, false] {
            let asked = permissions.filter { $0.isNeeded == isNeeded }
            facts += asked.enumerated().map { index, permission in
                (index == 0 ? (isNeeded ? "needs" : "may use") : "", Cell(permission.sentence))
            }
        }
        // What an incompatible plugin asks for is not known.
        if permissions.isEmpty, text("State") != "incompatible" { facts.append(("asks for", Cell("nothing"))) }
        return Table.facts(facts, on: terminal)
    }

    /// What becomes of a new file; empty if there is none.
    private var upgradeText: String {
        switch text("Upgrade") {
        case "checking": "\(upgradeName) is being checked"
        case "waiting": "\(upgradeName) takes over when no call is left; now: callctl plugins restart \(id)"
        default: upgradeProblem ?? text("Upgrade")
        }
    }

    /// The new file, as the beginning of a sentence.
    private var upgradeName: String {
        let version = text("UpgradeVersion")
        return version.isEmpty ? "it" : "version \(version)"
    }

    /// Why a new file does not take over, as the end of a sentence about it; nil if it does.
    var upgradeProblem: String? {
        let (stage, error) = (text("Upgrade"), text("UpgradeError"))
        let standing = stage == "needs-consent" ? "waits for permissions" : "is \(stage)"
        return error.isEmpty ? nil : "\(standing): \(error); the old one goes on"
    }

    private var sandboxText: String {
        switch text("Sandbox") {
        case "full": "full: it sees only its own files and those that are granted"
        case "landlock": "landlock: it opens only its own files and those that are granted, and can tell which exist"
        case "syscalls": "syscalls: it can read and change the user's files"
        case "none": "none: --no-sandbox was given"
        case let other: other
        }
    }
}

extension AskedPermission {
    /// The permission, whether it is granted, and the plugin's own words, which are marked as such.
    fileprivate var sentence: String {
        let standing = isGranted ? "granted" : "not granted"
        return reason.isEmpty ? "\(text): \(standing)" : "\(text): \(standing); the plugin says: “\(reason)”"
    }
}
