// SDKSession: what the SDK remembers in this process.

internal import CallModel
package import DBus
package import EventLoop
internal import Synchronization

/// The connection to callkitd with its providers and observers, the audio session, and what callkitd has told a plugin
/// of its place and its accounts. A process has one session; each unit test has one of its own.
@LoopActor
package final class SDKSession {
    private nonisolated static let present = Mutex(SDKSession())

    /// The session of this process, or of the test under way.
    package nonisolated static var current: SDKSession { present.withLock { $0 } }

    nonisolated let audio = Mutex(AVAudioSession.State())
    nonisolated let place: Mutex<PluginMain.Place>
    nonisolated let accounts = Mutex(PluginAccounts.Present())
    /// The object that a plugin's entry has created, on the main actor.
    nonisolated let plugin = Mutex<Confined<Any>?>(nil)
    private(set) lazy var connection = HostConnection(timersOfTest: makeTimer)

    private nonisolated let makeTimer: HostConnection.TimerMaking?
    /// The work that the SDK has put on the app's queues.
    private nonisolated let handovers = DispatchGroup()

    private nonisolated init() {
        place = Mutex(PluginMain.Place())
        makeTimer = nil
    }

    private nonisolated init(test place: PluginMain.Place, _ makeTimer: @escaping HostConnection.TimerMaking) {
        self.place = Mutex(place)
        self.makeTimer = makeTimer
    }

    /// Runs work of the app on the queue of its choice.
    nonisolated func handOver(to queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        // In a worker the loop is the main thread, and need not be woken to find on the main queue what it put there.
        if Loop.shared.isCurrent, MainPlace.isMain(queue),
            LoopActor.assumeIsolated({ MainQueueWatch.runNext(body) })
        {
            return
        }
        queue.async(group: handovers, execute: body)
    }

    // MARK: a unit test

    /// Begins the session of a test, whose host is in the same process.
    /// - Parameters:
    ///   - resourceDirectory: the value of `PluginMain.resourceDirectory`.
    ///   - permissions: the value of `PluginMain.permissions`.
    ///   - timer: makes a timer; dropping it cancels it.
    /// - Returns: nil if this process is already looking for callkitd, is a worker, or runs a test.
    package static func beginTest(
        resourceDirectory: String, permissions: Set<String>,
        timer: @escaping @LoopActor (Duration, @escaping @LoopActor () -> Void) -> AnyObject
    ) -> SDKSession? {
        guard !current.connection.isInUse else { return nil }
        let place = PluginMain.Place(resourceDirectory: resourceDirectory, permissions: permissions)
        let session = SDKSession(test: place, timer)
        present.withLock { $0 = session }
        return session
    }

    /// Connects the SDK to the host at the other end of a channel.
    package func connect(_ channel: Link) {
        connection.attach(channel)
        connection.registerAll()
    }

    /// Disconnects the SDK from the host, which ends all calls.
    package func disconnect() {
        connection.detach()
        connection.hostLost()
    }

    /// Ends the session of a test, invalidates its providers, and gives the process a new session.
    package func endTest() {
        disconnect()
        connection.invalidateAll()
        Self.present.withLock { $0 = SDKSession() }
    }

    /// Waits until the present work on the app's queues has run.
    package func heard() async {
        await withCheckedContinuation { continuation in
            handovers.notify(queue: .global()) { @Sendable in continuation.resume() }
        }
        for queue in connection.queues + [.main] {
            await withCheckedContinuation { continuation in queue.async { @Sendable in continuation.resume() } }
        }
    }
}
