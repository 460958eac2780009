// DesktopSettings: what the user chooses, in desktop.conf.

package import EventLoop

/// The settings of the agent.
@LoopActor
package final class DesktopSettings {
    /// The loudness of the ringtone, from 0 to 1.
    package var ringVolume = 1.0
    /// The user's ringtones by provider id or contact identifier: absolute paths of sound files.
    package var ringtones: [String: String] = [:]
    /// Whether notifications say who calls while the screen is locked.
    package var showsNamesWhenLocked = false
    /// Whether players are paused while the phone rings, not only during calls.
    package var pausesPlayersForRinging = false
    /// Whether the agent offers org.gnome.Calls, from which Phosh shows calls on its lock screen.
    package var servesGnomeCalls = true

    package init() {}
}
