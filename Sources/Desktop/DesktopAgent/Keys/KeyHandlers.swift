// KeyHandlers: the programs that send media keys to players, desktop by desktop.

import DBus
import EventLoop

/// Knows by their names on the bus the programs that pause a player only because a key was pressed, or its button on the
/// screen. Plasma 5.27 and 6.3 send Pause also for the key that plays and pauses, since the player plays.
@LoopActor
struct KeyHandlers {
    private static let names = [
        // gnome-settings-daemon 43 and 48, on Budgie too; csd-media-keys 5.6; mate-settings-daemon.
        "org.gnome.SettingsDaemon.MediaKeys", "org.cinnamon.SettingsDaemon.KeybindingHandler",
        "org.mate.SettingsDaemon",
        // The keys and the media controls of Plasma 5.27 and 6.3.
        "org.kde.plasmashell", "org.kde.kded5", "org.kde.kded6",
    ]

    /// Whether a client of the bus is one of them.
    func contains(_ client: String, on bus: Bus) async -> Bool {
        for name in Self.names {
            if (try? await bus.owner(of: name)) == client { return true }
        }
        return false
    }
}
