// The surroundings of the providers under test: other apps, and the connection to the host.

internal import CallModel
public import OpenCallKit

extension TestHost {
    /// Adds another app with calls of its own.
    /// - Parameters:
    ///   - name: the provider's id, made of letters and digits.
    ///   - holdModel: how its network holds calls. With `swap`, the calls of others cannot have its active call held
    ///     while it has another one on hold.
    /// - Throws: ``TestHostError``.
    public func addProvider(
        _ name: String = "Other", holdModel: CXProviderConfiguration.HoldModel = .perCall
    ) async throws -> TestProvider {
        let app = await system.addApp(name, HoldModel(rawValue: holdModel.rawValue) ?? .perCall)
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
