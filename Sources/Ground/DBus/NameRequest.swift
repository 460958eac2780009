// Requesting names on the bus, and looking up their owners.

internal import EventLoop

/// The outcome of a request for a name.
public enum NameRequest: Hashable, Sendable {
    case acquired, alreadyOwner
    /// Another connection owns the name.
    case taken
    /// Another connection owns the name; the bus sends `NameAcquired` when it is this connection's turn.
    case queued
}

extension Bus {
    /// Asks for a well-known name.
    public func requestName(
        _ name: String, replaceExisting: Bool = false, allowReplacement: Bool = false
    ) async throws(DBusError) -> NameRequest {
        try await withCheckedContinuation { continuation in
            requestName(name, replaceExisting: replaceExisting, allowReplacement: allowReplacement) {
                continuation.resume(returning: $0)
            }
        }.get()
    }

    /// Asks for a well-known name.
    /// - Parameter queue: whether to wait for the name if another connection owns it.
    public func requestName(
        _ name: String, replaceExisting: Bool = false, allowReplacement: Bool = false, queue: Bool = false,
        completion: @escaping @LoopActor (Result<NameRequest, DBusError>) -> Void
    ) {
        let flags: UInt32 = (queue ? 0 : 4) | (allowReplacement ? 1 : 0) | (replaceExisting ? 2 : 0)
        do {
            let request = try Message.call(
                to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "RequestName", name, flags)
            call(request, timeout: .seconds(25)) { result in
                completion(
                    result.flatMap { reply in
                        Result { () throws(DBusError) in
                            switch try reply.read(UInt32.self) {
                            case 1: .acquired
                            case 2: .queued
                            case 4: .alreadyOwner
                            default: .taken
                            }
                        }
                    })
            }
        } catch {
            Loop.shared.post { completion(.failure(error)) }
        }
    }

    /// Releases a name. Does nothing if this connection does not own it.
    public func releaseName(_ name: String) async throws(DBusError) {
        let _: UInt32 = try await call(
            to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "ReleaseName", name)
    }

    /// Releases a name without waiting for the answer: a request that follows comes after it.
    public func forgetName(_ name: String) { sendToDriver("ReleaseName", name) }

    /// Returns the unique name of the owner of `name`. Throws `NameHasNoOwner` if it has none.
    public func owner(of name: String) async throws(DBusError) -> String {
        try await call(to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "GetNameOwner", name)
    }

    /// Returns the process behind a name.
    public func pid(of name: String) async throws(DBusError) -> UInt32 {
        try await call(to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "GetConnectionUnixProcessID", name)
    }

    /// Reports the process behind a name, or nil if the name has no owner.
    public func pid(of name: String, completion: @escaping @LoopActor (UInt32?) -> Void) {
        sendToDriver("GetConnectionUnixProcessID", name) { completion(try? $0.get().read(UInt32.self)) }
    }

    /// Returns the user behind a name.
    public func uid(of name: String) async throws(DBusError) -> UInt32 {
        try await call(to: BusDriver.name, at: BusDriver.path, BusDriver.interface, "GetConnectionUnixUser", name)
    }
}
