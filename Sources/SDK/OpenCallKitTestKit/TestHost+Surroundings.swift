// What happens around the providers of the test: other apps, and the loss of the host.

extension TestHost {
    /// Another app with calls of its own.
    /// - Parameter name: its id; letters and digits.
    /// - Throws: ``TestHostError``.
    public func addProvider(_ name: String = "Other") async throws -> TestProvider {
        let app = await system.addApp(name)
        try await system.settle()
        guard providers.contains(name) else { throw TestHostError.noProvider(name) }
        return TestProvider(name, self, app)
    }

    /// The providers lose the host, as an app does when callkitd or the bus goes away: their calls end, and their
    /// delegates get `providerDidReset(_:)`. To the user they have crashed.
    /// - Throws: ``TestHostError/late(_:)``.
    public func disconnect() async throws {
        try await system.settle()
        await system.disconnect()
        try await system.settle()
    }

    /// The host is there again after ``disconnect()``: the providers register anew, by themselves.
    /// - Throws: ``TestHostError/late(_:)``.
    public func reconnect() async throws {
        await system.connect()
        try await system.settle()
    }
}
