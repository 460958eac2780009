// CheckingProvider: a provider with calls like any other's, whose buttons run checks of what a plugin can do.

public import OpenCallKit

/// What a check found wrong.
public struct Unexpected: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// Throws unless a condition holds.
public func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws(Unexpected) {
    if !condition { throw Unexpected(otherwise()) }
}

/// A check of one thing. It gets the arguments of the button, and returns what it saw.
public struct Check: Sendable {
    let name: String
    let run: @Sendable ([String: CXValue]) async throws -> String

    public init(_ name: String, _ run: @escaping @Sendable ([String: CXValue]) async throws -> String) {
        self.name = name
        self.run = run
    }
}

/// Each check is a button. It is fulfilled with `seen s`, or with `wrong s`; `examine` runs all of them, one after
/// another, and is fulfilled with `wrong s` for each that went wrong, by its name.
public final class CheckingProvider: CXProviderDelegate, @unchecked Sendable {
    private let provider: CXProvider
    private let checks: [Check]
    private var calls: Set<UUID> = []

    public init(_ name: String, _ checks: [Check]) {
        self.checks = checks
        let configuration = CXProviderConfiguration(localizedName: name)
        configuration.supportedHandleTypes = [.generic]
        configuration.maximumCallsPerCallGroup = 1
        let names = ["examine"] + checks.map(\.name)
        configuration.customActions = names.map { CXCustomButton(identifier: $0, label: $0) }
        provider = CXProvider(configuration: configuration)
        provider.setDelegate(self, queue: nil)
    }

    public func providerDidReset(_ provider: CXProvider) { calls = [] }

    public func provider(_ provider: CXProvider, perform action: CXStartCallAction) {
        calls.insert(action.callUUID)
        action.fulfill()
        provider.reportOutgoingCall(with: action.callUUID, connectedAt: nil)
    }
    public func provider(_ provider: CXProvider, perform action: CXEndCallAction) {
        calls.remove(action.callUUID) == nil ? action.fail() : action.fulfill()
    }
    public func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) { answer(action) }
    public func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) { answer(action) }
    public func provider(_ provider: CXProvider, perform action: CXPlayDTMFCallAction) { answer(action) }

    private func answer(_ action: CXCallAction) {
        calls.contains(action.callUUID) ? action.fulfill() : action.fail()
    }

    public func provider(_ provider: CXProvider, perform action: CXCustomAction) {
        let wanted = checks.filter { $0.name == action.identifier }
        guard !wanted.isEmpty || action.identifier == "examine" else { return action.fail() }
        Task.detached { [checks] in
            guard let check = wanted.first else { return await Self.examine(checks, action) }
            do {
                action.fulfill(with: ["seen": .string(try await check.run(action.arguments))])
            } catch {
                action.fulfill(with: ["wrong": .string("\(error)")])
            }
        }
    }

    private static func examine(_ checks: [Check], _ action: CXCustomAction) async {
        var wrong: [String: CXValue] = [:]
        for check in checks {
            do {
                _ = try await check.run(action.arguments)
            } catch {
                wrong[check.name] = .string("\(error)")
            }
        }
        action.fulfill(with: wrong)
    }
}
