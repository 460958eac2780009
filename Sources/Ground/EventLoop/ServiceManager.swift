// ServiceManager: tells the service manager how far this process is.

internal import CSystem

/// The service manager that started this process, such as systemd, as sd_notify(3) describes it.
public struct ServiceManager: Sendable {
    /// The variable with the socket's address. It is not meant for children of this process.
    public static let variable = "NOTIFY_SOCKET"

    private let socket: String?

    /// Takes the manager's socket from the environment and removes the variable.
    public init(takingFrom environment: inout [String: String]) {
        socket = environment.removeValue(forKey: Self.variable)
    }

    /// Reports that the service is ready. Does nothing without a manager.
    public func ready() { send("READY=1") }

    /// Reports that the service has begun to stop.
    public func stopping() { send("STOPPING=1") }

    private func send(_ state: String) {
        if let socket { _ = ock_send_datagram(socket, state) }
    }
}
