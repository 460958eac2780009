// Opening a connection, without ever waiting on the loop's thread.

internal import CDBus
internal import EventLoop
internal import Glibc

extension Bus {
    /// Connects to the bus at `address`, by default that of the session.
    ///
    /// Throws the error of libdbus if nothing listens there, and `Timeout` if the bus does not answer.
    nonisolated public static func connect(
        to address: String? = nil, timeoutMilliseconds: Int = 25_000
    ) async throws(DBusError) -> Bus {
        try await withCheckedContinuation { continuation in
            Loop.shared.post {
                connect(to: address, timeoutMilliseconds: timeoutMilliseconds) { continuation.resume(returning: $0) }
            }
        }.get()
    }

    /// Connects, and hands the connection to `completion`, which is not called before this returns.
    public static func connect(
        to address: String? = nil, timeoutMilliseconds: Int = 25_000,
        completion: @escaping @LoopActor (Result<Bus, DBusError>) -> Void
    ) {
        do throws(DBusError) {
            let bus = if let address { try open(address) } else { try open(sessionAddress()) }
            let hello = try Message.call(to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "Hello")
            bus.call(hello, timeoutMilliseconds: timeoutMilliseconds) { result in
                // Holding the bus, this keeps it alive until it is answered.
                completion(result.flatMap { bus.named($0) })
                if case .failure = result { bus.close() }
            }
        } catch {
            Loop.shared.post { completion(.failure(error)) }
        }
    }

    private func named(_ reply: Message) -> Result<Bus, DBusError> {
        do throws(DBusError) {
            uniqueName = try reply.read(String.self)
            dbus_bus_set_unique_name(connection, uniqueName)
            return .success(self)
        } catch {
            return .failure(error)
        }
    }

    private static func open(_ address: String) throws(DBusError) -> Bus {
        if address.hasNUL { throw DBusError(DBusError.Name.invalidArgs, "an address with a NUL character") }
        guard LibDBus.isReady else { throw .noMemory }
        let connection = try DBusError.catching { dbus_connection_open_private(address, $0) }
        return try Bus(connection)
    }

    private static func sessionAddress() throws(DBusError) -> String {
        if let address = getenv("DBUS_SESSION_BUS_ADDRESS") { return String(cString: address) }
        if let folder = getenv("XDG_RUNTIME_DIR") { return "unix:path=\(String(cString: folder))/bus" }
        throw DBusError(DBusError.Name.failed, "no session bus: DBUS_SESSION_BUS_ADDRESS is not set")
    }
}
