// Time limits as numbers of milliseconds, for those who do not say `Duration` yet.

internal import EventLoop

extension MessageChannel {
    @discardableResult
    public func call(
        _ message: Message, timeoutMilliseconds: Int, reply: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) -> UInt32 { call(message, timeout: .milliseconds(timeoutMilliseconds), reply: reply) }

    nonisolated(nonsending) public func call<each Argument: DBusType, each Value: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, timeoutMilliseconds: Int
    ) async throws(DBusError) -> (repeat each Value) {
        try await call(
            to: destination, at: path, interface, member, repeat each arguments,
            timeout: .milliseconds(timeoutMilliseconds))
    }

    nonisolated(nonsending) public func call<each Argument: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, timeoutMilliseconds: Int
    ) async throws(DBusError) {
        try await call(
            to: destination, at: path, interface, member, repeat each arguments,
            timeout: .milliseconds(timeoutMilliseconds))
    }

    public func call(_ message: Message, timeoutMilliseconds: Int) async throws(DBusError) -> Message {
        try await call(message, timeout: .milliseconds(timeoutMilliseconds))
    }
}

extension Bus {
    public func credentials(
        of name: String, timeoutMilliseconds: Int,
        completion: @escaping @LoopActor (Result<ConnectionCredentials, DBusError>) -> Void
    ) { credentials(of: name, timeout: .milliseconds(timeoutMilliseconds), completion: completion) }
}

extension CallContext {
    public func forward(
        to other: any MessageChannel, timeoutMilliseconds: Int,
        explain: @escaping @LoopActor (DBusError) -> any Error, done: @escaping @LoopActor () -> Void = {}
    ) { forward(to: other, timeout: .milliseconds(timeoutMilliseconds), explain: explain, done: done) }
}
