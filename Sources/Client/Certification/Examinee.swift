// Examinee: a process that is examined, and the way to it.

import DBus
import EventLoop
import WorkerLaunch

/// A worker at the other end of a link, or a program on a bus.
@LoopActor
protocol Examinee: AnyObject {
    /// What messages travel on.
    var channel: any MessageChannel { get }
    /// The name of the provider's process on a bus; nil at the other end of a link, and empty before it is known.
    var address: String? { get }
    var isConnected: Bool { get }
    /// The process that has the provider, or 0.
    var pid: Int32 { get }
    /// How it is confined; nil if it is not, or has not told.
    var report: SandboxReport? { get }
    /// Asks it to end, and kills it if it does not.
    func stop()
    func kill()
}

extension LinkedProcess: Examinee {
    var channel: any MessageChannel { link }
    var address: String? { nil }
    var isConnected: Bool { link.isOpen }
}
