// TestPlace: connects the SDK to a host in the same process, for a unit test.

package import DBus
package import EventLoop

/// Connects the SDK to a host in the same process, and resets it afterwards.
@LoopActor
package enum TestPlace {
    /// - Parameters:
    ///   - resourceDirectory: the value of `PluginMain.resourceDirectory`.
    ///   - permissions: the value of `PluginMain.permissions`.
    ///   - timer: makes a timer for a number of milliseconds; dropping it cancels it.
    /// - Returns: false if this process is already looking for callkitd, or is a worker.
    package static func enter(
        resourceDirectory: String, permissions: Set<String>,
        timer: @escaping @LoopActor (Int, @escaping @LoopActor () -> Void) -> AnyObject
    ) -> Bool {
        guard HostConnection.shared.enterTest(timer) else { return false }
        PluginMain.settle(PluginMain.Place(resourceDirectory: resourceDirectory, permissions: permissions))
        return true
    }

    /// Connects the SDK to the host at the other end of a channel.
    package static func connect(_ channel: Link) {
        HostConnection.shared.attach(channel)
        HostConnection.shared.registerAll()
    }

    /// Disconnects the SDK from the host, which ends all calls.
    package static func disconnect() {
        HostConnection.shared.detach()
        HostConnection.shared.hostLost()
    }

    /// Invalidates all providers and observers, and resets the SDK to the state of a new process.
    package static func leave() {
        disconnect()
        HostConnection.shared.leaveTest()
        CallWatch.shared.forgetAll()
        AVAudioSession.sharedInstance().forgetAll()
        PluginMain.settle(PluginMain.Place())
    }

    /// Waits until the present work on the app's queues has run.
    package static func heard() async {
        await withCheckedContinuation { continuation in
            Handover.underWay.notify(queue: .global()) { @Sendable in continuation.resume() }
        }
        for queue in HostConnection.shared.queues + [.main] {
            await withCheckedContinuation { continuation in queue.async { @Sendable in continuation.resume() } }
        }
    }
}
