// DesktopContext: what all parts of the agent share.

package import CallClient
package import DBus
package import EventLoop
package import Logging
package import Sound

/// The surroundings of a part.
@LoopActor
package final class DesktopContext {
    package let model: CallSystemModel
    package let sound: SoundServer
    package let settings: DesktopSettings
    package let environment: [String: String]
    package let deadlines: DesktopDeadlines
    package let log: Logger
    package let screenLock = ScreenLock()
    /// Whether the desktop shows our notifications. Followed by the part `do-not-disturb`.
    package let notificationSwitch: NotificationSwitch
    /// What the agent serves on the bus. The parts export their interfaces at `Contract.desktopPath`.
    package let objects = ObjectTree()

    package init(
        model: CallSystemModel, sound: SoundServer, settings: DesktopSettings, environment: [String: String],
        deadlines: DesktopDeadlines = DesktopDeadlines(), log: Logger
    ) {
        self.model = model
        self.sound = sound
        self.settings = settings
        self.environment = environment
        notificationSwitch = NotificationSwitch(environment: environment)
        self.deadlines = deadlines
        self.log = log
    }
}
