// TestPlace: the third place where a provider runs, beside a plugin's worker and an app: a unit test.

package import DBus
package import EventLoop

/// Leads the SDK of this process to a host in the same process, and makes it forget everything afterwards.
@LoopActor
package enum TestPlace {
    /// - Parameters:
    ///   - resourceDirectory: the value of `PluginMain.resourceDirectory`.
    ///   - timer: makes a timer for a number of milliseconds; dropping it cancels it.
    /// - Returns: false if this process looks for callkitd already, or is a worker.
    package static func enter(
        resourceDirectory: String, timer: @escaping @LoopActor (Int, @escaping @LoopActor () -> Void) -> AnyObject
    ) -> Bool {
        guard HostConnection.shared.enterTest(timer) else { return false }
        PluginMain.settle(PluginMain.Place(resourceDirectory: resourceDirectory))
        return true
    }

    /// The host is at the far end of `channel` from now on.
    package static func connect(_ channel: Link) {
        HostConnection.shared.attach(channel)
        HostConnection.shared.registerAll()
    }

    /// The host is gone, and with it all calls.
    package static func disconnect() {
        HostConnection.shared.detach()
        HostConnection.shared.hostLost()
    }

    /// Providers and observers that were made are over; new ones begin as in a new process.
    package static func leave() {
        disconnect()
        HostConnection.shared.leaveTest()
        CallWatch.shared.forgetAll()
        AVAudioSession.sharedInstance().forgetAll()
        PluginMain.settle(PluginMain.Place())
    }

    /// Returns when everything that was put on the app's queues until now has run.
    package static func heard() async {
        await withCheckedContinuation { continuation in
            Handover.underWay.notify(queue: .global()) { @Sendable in continuation.resume() }
        }
        for queue in HostConnection.shared.queues + [.main] {
            await withCheckedContinuation { continuation in queue.async { @Sendable in continuation.resume() } }
        }
    }
}
