// Typed calls for clients and tests.

internal import EventLoop

extension MessageChannel {
    /// Calls a method and returns its results, of the types that the caller expects:
    /// `let id: String = try await bus.call(to: name, at: path, interface, "Add", "x", true)`.
    nonisolated(nonsending) public func call<each Argument: DBusType, each Value: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, timeoutMilliseconds: Int = 25_000
    ) async throws(DBusError) -> (repeat each Value) {
        let message = try await Message.call(to: destination, at: path, interface, member, repeat each arguments)
        let answer: Struct<repeat each Value> = try await answer(to: message, timeoutMilliseconds)
        return (repeat each answer.fields)
    }

    /// Calls a method without results.
    nonisolated(nonsending) public func call<each Argument: DBusType>(
        to destination: String? = nil, at path: ObjectPath, _ interface: String, _ member: String,
        _ arguments: repeat each Argument, timeoutMilliseconds: Int = 25_000
    ) async throws(DBusError) {
        let message = try await Message.call(to: destination, at: path, interface, member, repeat each arguments)
        let _: Struct<> = try await answer(to: message, timeoutMilliseconds)
    }

    /// Calls a method and returns the whole answer.
    public func call(_ message: Message, timeoutMilliseconds: Int = 25_000) async throws(DBusError) -> Message {
        try await withCheckedContinuation { continuation in
            call(message, timeoutMilliseconds: timeoutMilliseconds) { continuation.resume(returning: $0) }
        }.get()
    }

    private func answer<each Value: DBusType>(
        to message: Message, _ timeout: Int
    ) async throws(DBusError) -> Struct<repeat each Value> {
        try await call(message, timeoutMilliseconds: timeout).readAll()
    }

    /// Returns the value of a property.
    public func getProperty<Value: DBusType>(
        of destination: String? = nil, at path: ObjectPath, _ interface: String, _ name: String
    ) async throws(DBusError) -> Value {
        let message = try Message.call(to: destination, at: path, StandardInterface.properties, "Get", interface, name)
        return try await call(message).read(Boxed<Value>.self).value
    }

    /// Sets a property.
    public func setProperty(
        of destination: String? = nil, at path: ObjectPath, _ interface: String, _ name: String, to value: some DBusType
    ) async throws(DBusError) {
        _ = try await call(
            Message.call(
                to: destination, at: path, StandardInterface.properties, "Set", interface, name, Boxed(value)))
    }
}
