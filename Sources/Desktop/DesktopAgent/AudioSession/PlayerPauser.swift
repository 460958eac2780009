// PlayerPauser: pauses players and lets them go on, over MPRIS.

import DBus
import EventLoop

/// Pauses the players of the session. A player that the user has touched meanwhile is left as it is.
@LoopActor
final class PlayerPauser {
    private static let prefix = "org.mpris.MediaPlayer2."
    private static let path: ObjectPath = "/org/mpris/MediaPlayer2"
    private static let player = "org.mpris.MediaPlayer2.Player"
    /// More players than anybody hears at once.
    private static let maximumPlayers = 32
    /// How long players have to say what they do and to pause.
    private static let pauseTimeout = Duration.milliseconds(180)

    private struct Paused {
        let owner: String
        let watch: Subscription
    }

    private var bus: Bus?
    /// The players that were paused here and not touched since, by their names on the bus.
    private var paused: [String: Paused] = [:]
    /// The processes of all players that were paused.
    private(set) var pids: Set<UInt32> = []

    var count: Int { paused.count }

    func connected(to bus: Bus) { self.bus = bus }

    func disconnected() {
        bus = nil
        paused = [:]
        pids = []
    }

    /// Pauses the players that play. Returns once they have answered, or did not in time.
    func pause() async {
        guard let bus else { return }
        await Gate.wait(atMost: Self.pauseTimeout) { await self.pauseAll(on: bus) }
    }

    private func pauseAll(on bus: Bus) async {
        let names: [String]? = try? await bus.call(
            to: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames",
            timeout: Self.pauseTimeout)
        let players = (names ?? []).filter { $0.hasPrefix(Self.prefix) }.prefix(Self.maximumPlayers)
        let tasks = players.filter { paused[$0] == nil }.map { name in Task { await pause(name, on: bus) } }
        for task in tasks { await task.value }
    }

    private func pause(_ name: String, on bus: Bus) async {
        do throws(DBusError) {
            let owner = try await bus.owner(of: name)
            // The call itself is a player too, for media keys.
            guard owner != bus.uniqueName else { return }
            let properties: VariantDictionary = try await bus.call(
                to: owner, at: Self.path, StandardInterface.properties, "GetAll", Self.player,
                timeout: Self.pauseTimeout)
            guard properties["PlaybackStatus", default: ""] == "Playing", properties["CanPause", default: false] else {
                return
            }
            let pid = try await bus.pid(of: owner)
            // Noted before it is asked: it may pause after its time.
            pids.insert(pid)
            paused[name] = Paused(owner: owner, watch: follow(name, owner, on: bus))
            try await bus.call(
                to: owner, at: Self.path, Self.player, "Pause", timeout: Self.pauseTimeout)
        } catch {
            // A player that does not answer is lowered like everything else.
        }
    }

    /// Forgets a player once it plays again: the user has let it.
    private func follow(_ name: String, _ owner: String, on bus: Bus) -> Subscription {
        var hasPaused = false
        let rule = MatchRule(
            sender: owner, path: Self.path, interface: StandardInterface.properties, member: "PropertiesChanged")
        return bus.subscribe(rule) { [weak self] message in
            guard let (_, values, _) = try? message.read(String.self, VariantDictionary.self, [String].self),
                let status: String = try? values["PlaybackStatus"]?.value()
            else { return }
            if status == "Paused" { hasPaused = true }
            if status == "Playing", hasPaused { self?.paused[name] = nil }
        }
    }

    /// Lets the players go on that were paused here, have the same owner and are still paused.
    func resume() async {
        guard let bus else { return }
        let players = paused
        paused = [:]
        pids = []
        let tasks = players.map { name, player in Task { await resume(name, player.owner, on: bus) } }
        for task in tasks { await task.value }
    }

    private func resume(_ name: String, _ owner: String, on bus: Bus) async {
        do throws(DBusError) {
            guard try await bus.owner(of: name) == owner else { return }
            let status: Variant = try await bus.call(
                to: owner, at: Self.path, StandardInterface.properties, "Get", Self.player, "PlaybackStatus",
                timeout: .seconds(2))
            guard let text: String = try? status.value(), text == "Paused" else { return }
            try await bus.call(to: owner, at: Self.path, Self.player, "Play", timeout: .seconds(2))
        } catch {
            // The player has gone, or hangs.
        }
    }
}
