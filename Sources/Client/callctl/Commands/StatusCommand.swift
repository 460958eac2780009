// callctl without a command: what goes on, in ten lines at most.

import ArgumentParser
import CallClient
import CallModel
import DBus
import EventLoop

struct StatusCommand: BusCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what goes on, and what to try next (default).",
        discussion: "Does not start the daemon.")

    @OptionGroup var shared: SharedOptions

    @LoopActor func run(in session: Session) async throws(Failure) {
        guard try await session.isRunning(.daemon) else {
            throw Failure(
                .unreachable,
                "callkitd is not running; an installed one starts when it is asked, for example: callctl providers")
        }
        let status = Status(
            version: try await session.property("Version"), policy: try await session.property("Policy"),
            doNotDisturb: try await session.property("DoNotDisturb"), missed: await session.unreadMissed(),
            snapshot: try await session.snapshot())
        try session.output.result(status.text(on: session.output.terminal), json: status.json)
    }
}

extension Session {
    func isRunning(_ service: BusService) async throws(Failure) -> Bool {
        do {
            _ = try await bus.owner(of: service.busName)
            return true
        } catch  where error.name == DBusError.Name.nameHasNoOwner {
            return false
        } catch {
            throw Failure(error, outOfTime: false)
        }
    }

    /// Returns the number of missed calls that nobody has seen; nil if the store does not tell.
    fileprivate func unreadMissed() async -> UInt32? {
        try? await property("UnreadMissed", of: Contract.recents, at: DaemonPath.recents)
    }
}

/// What goes on.
struct Status {
    /// So many calls are shown; a last line counts the others.
    private static let shown = 3

    /// The columns of a name with its number that are shown: as many as stay beside the facts, an id and a state.
    private static func longestParty(on terminal: Terminal) -> Int {
        terminal.width.map { min(28, max(12, $0 - 18)) } ?? .max
    }

    let version: String
    let policy: String
    let doNotDisturb: Bool
    /// Missed calls that nobody has seen; nil if unknown.
    let missed: UInt32?
    let snapshot: Snapshot

    func text(on terminal: Terminal) -> String {
        let live = snapshot.calls.filter(\.isLive)
        let calls =
            live.filter { $0.state == .ringing } + live.filter(\.isTalked)
            + live.filter { $0.state != .ringing && !$0.isTalked }
        var facts = [("callkitd", Cell("running, version \(version), policy \(policy)"))]
        facts += calls.prefix(Self.shown).enumerated().map { ($0 == 0 ? "calls" : "", line(of: $1, on: terminal)) }
        if calls.isEmpty { facts.append(("calls", "none")) }
        if calls.count > Self.shown { facts.append(("", Cell("and \(calls.count - Self.shown) more: callctl list"))) }
        let missed =
            missed.map { $0 == 0 ? "none" : "\($0); callctl recents --missed" } ?? "unknown; the store does not answer"
        facts += [
            ("providers", names(of: snapshot.providers.map { ($0.id.rawValue, $0.state.rawValue) })),
            ("plugins", names(of: snapshot.plugins.map { ($0.id, $0.state) })),
            ("do not disturb", Cell(doNotDisturb ? "on" : "off")),
            ("missed calls", Cell(missed)),
            ("try next", Cell(next(after: calls), .bold)),
        ]
        return Table.facts(facts, on: terminal)
    }

    var json: JSON {
        .object([
            JSON.Member("version", .string(version)), JSON.Member("policy", .string(policy)),
            JSON.Member("calls", .array(snapshot.calls.filter(\.isLive).map(\.json))),
            JSON.Member("providers", .array(snapshot.providers.map(\.json))),
            JSON.Member("plugins", .array(snapshot.plugins.map(\.json))),
            JSON.Member("do-not-disturb", .bool(doNotDisturb)),
            JSON.Member("unread-missed", missed.map { .unsigned(UInt64($0)) } ?? .null),
        ])
    }

    private func line(of call: PublishedCall, on terminal: Terminal) -> Cell {
        var words = [
            snapshot.shortID(of: call), snapshot.stateText(of: call),
            call.party.truncated(to: Self.longestParty(on: terminal)),
            "via \(call.provider?.rawValue ?? "")",
        ]
        if call.emergency { words.append("emergency") }
        return Cell(words.joined(separator: "  "), call.stateStyle)
    }

    /// The ids, each with its state unless that is well.
    private func names(of objects: [(id: String, state: String)]) -> Cell {
        let names = objects.map { ["ready", "directory"].contains($0.state) ? $0.id : "\($0.id) (\($0.state))" }
        return Cell(names.isEmpty ? "none" : names.joined(separator: ", "))
    }

    /// A command for the moment.
    private func next(after calls: [PublishedCall]) -> String {
        if let ringing = calls.first(where: Candidates.ringing.fits) {
            let call = snapshot.shortID(of: ringing)
            return switch ringing.answerOptions {
            case .decline: "callctl reject \(call)"
            case [.endAndAnswer, .decline]: "callctl answer \(call) --conflict end"
            default: "callctl answer \(call)"
            }
        }
        if let held = calls.first(where: { $0.state == .held && $0.can.contains(.resume) }) {
            return "callctl resume \(snapshot.shortID(of: held))"
        }
        if let call = calls.first(where: Candidates.live.fits) {
            return "callctl end \(snapshot.shortID(of: call))"
        }
        return snapshot.providers.isEmpty ? "callctl plugins" : "callctl start NUMBER"
    }
}
