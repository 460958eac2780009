// SleepInhibitor: keeps the machine from sleeping, with a lock of logind.

import CallModel
import DBus
import EventLoop
import Logging

/// Holds logind's lock for as long as it is wanted. The lock is a descriptor: logind releases it when the last copy is
/// closed, so it ends with this process, however that ends.
@LoopActor
final class SleepInhibitor {
    /// Whether the machine shall stay awake.
    var isWanted = false {
        didSet { if isWanted != oldValue { update() } }
    }
    var isHeld: Bool { lock != nil }
    /// Why the last request was refused; nil after one that was granted.
    private(set) var lastError: DBusError?

    private static let path: ObjectPath = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"
    private static let timeout = Duration.seconds(5)
    /// What is held off: suspending, and what the desktop does when nobody touches anything. A second choice for users
    /// who may not hold off the first, for instance over SSH.
    private static let kinds = ["sleep:idle", "idle"]

    private let log: Logger
    private weak var bus: Bus?
    private var owner: String?
    private var lock: OwnedDescriptor?
    /// Counts the requests, to recognize answers to those that mean nothing any more.
    private var request = 0
    private var isRequesting = false

    init(log: Logger) { self.log = log }

    func connected(to owner: String, on bus: Bus) {
        disconnected()
        self.bus = bus
        self.owner = owner
        update()
    }

    /// logind has gone, and its locks with it.
    func disconnected() {
        request += 1
        isRequesting = false
        owner = nil
        lock = nil
        lastError = nil
    }

    private func update() {
        if !isWanted {
            lock = nil
            lastError = nil
        } else if lock == nil, !isRequesting {
            inhibit(0)
        }
    }

    /// Asks for a lock on the kinds at `index`.
    private func inhibit(_ index: Int) {
        guard let bus, let owner else { return }
        request += 1
        let (current, what) = (request, Self.kinds[index])
        guard
            let message = try? Message.call(
                to: owner, at: Self.path, Self.interface, "Inhibit", what, PhoneApplication.displayName,
                "A call is in progress", "block")
        else { return }
        isRequesting = true
        bus.call(message, timeout: Self.timeout) { [weak self] result in
            guard let self, request == current else { return }
            isRequesting = false
            receive(result, of: index)
        }
    }

    private func receive(_ result: Result<Message, DBusError>, of index: Int) {
        // If it is no longer wanted, the descriptor is closed with the answer.
        guard isWanted else { return }
        do throws(DBusError) {
            lock = try result.get().read(OwnedDescriptor.self)
            lastError = nil
        } catch {
            if index + 1 < Self.kinds.count { return inhibit(index + 1) }
            lastError = DBusError(error.name, error.message.displayable)
            log.notice("logind does not keep the machine awake: \(error.message.displayable)")
        }
    }
}
