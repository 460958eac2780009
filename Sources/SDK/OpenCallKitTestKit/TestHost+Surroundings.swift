// The surroundings of the providers under test: other apps, and the connection to the host.

extension TestHost {
    /// Adds another app with calls of its own.
    /// - Parameter name: the provider's id, made of letters and digits.
    /// - Throws: ``TestHostError``.
    public func addProvider(_ name: String = "Other") async throws -> TestProvider {
        let app = await system.addApp(name)
        try await system.settle()
        guard providers.contains(name) else { throw TestHostError.noProvider(name) }
        return TestProvider(name, self, app)
    }

    /// Disconnects the providers from the host, as the loss of callkitd or of the bus does: their calls end, and their
    /// delegates get `providerDidReset(_:)`. For the user they have crashed.
    /// - Throws: ``TestHostError/late(_:)``.
    public func disconnect() async throws {
        try await system.settle()
        await system.disconnect()
        try await system.settle()
    }

    /// Connects the providers to the host again after ``disconnect()``. They register again by themselves.
    /// - Throws: ``TestHostError/late(_:)``.
    public func reconnect() async throws {
        await system.connect()
        try await system.settle()
    }
}
