// CXCallDirectoryManager: has the system load a directory.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// Asks the system about its call directories (CallKit: CXCallDirectoryManager).
///
/// An extension is a plugin that has `opencallkit_directory_main`; its identifier is the plugin's id. The user switches it
/// on before it counts (see Directory1 of the bus, and `callctl directory enable`).
public final class CXCallDirectoryManager: Sendable {
    /// Whether the user has switched a directory on, which does not say that it was loaded (CallKit:
    /// CXCallDirectoryManager.EnabledStatus).
    public enum EnabledStatus: Int, Sendable, Hashable, CaseIterable {
        /// The system did not say.
        case unknown = 0
        /// Switched off: its entries count for nothing.
        case disabled = 1
        /// Switched on.
        case enabled = 2
    }

    /// The one manager of this process, on any thread.
    public static let sharedInstance = CXCallDirectoryManager()

    /// A list of millions takes a while; the system's own limit for a load is shorter.
    private static let patience = 600_000

    private let queue = DispatchQueue(label: "org.opencallkit.CXCallDirectoryManager")

    private init() {}

    /// Has the system run an extension and take its entries.
    /// - Parameters:
    ///   - identifier: the plugin's id.
    ///   - completion: called on a private queue, with a `CXErrorCodeCallDirectoryManagerError` if nothing was taken.
    public func reloadExtension(
        withIdentifier identifier: String, completionHandler completion: (((any Error)?) -> Void)? = nil
    ) {
        let completion = Confined(completion)
        ask("ReloadExtension", identifier) { [queue] result in
            queue.async {
                switch result {
                case .success: completion.take()?(nil)
                case .failure(let error): completion.take()?(error)
                }
            }
        }
    }

    /// Has the system run an extension and take its entries.
    /// - Throws: `CXErrorCodeCallDirectoryManagerError`.
    nonisolated(nonsending) public func reloadExtension(withIdentifier identifier: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            ask("ReloadExtension", identifier) { result in
                continuation.resume(with: result.map { _ in }.mapError { $0 })
            }
        }
    }

    /// Asks whether the user has switched an extension on.
    /// - Parameters:
    ///   - identifier: the plugin's id.
    ///   - completion: called on a private queue, with the status, and an error if that is unknown.
    public func getEnabledStatusForExtension(
        withIdentifier identifier: String, completionHandler completion: @escaping (EnabledStatus, (any Error)?) -> Void
    ) {
        let completion = Confined(completion)
        ask("EnabledStatus", identifier) { [queue] result in
            queue.async {
                switch result {
                case .success(let status): completion.take()(status, nil)
                case .failure(let error): completion.take()(.unknown, error)
                }
            }
        }
    }

    /// Asks whether the user has switched an extension on.
    /// - Throws: `CXErrorCodeCallDirectoryManagerError`.
    nonisolated(nonsending) public func enabledStatusForExtension(
        withIdentifier identifier: String
    ) async throws -> EnabledStatus {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<EnabledStatus, any Error>) in
            ask("EnabledStatus", identifier) { result in continuation.resume(with: result.mapError { $0 }) }
        }
    }

    /// Shows the user where directories are switched on. There is no such place here.
    /// - Parameter completion: called on a private queue, always with the error `unknown`.
    public func openSettings(completionHandler completion: (((any Error)?) -> Void)? = nil) {
        let completion = Confined(completion)
        queue.async { completion.take()?(Self.noSettings) }
    }

    /// Shows the user where directories are switched on. There is no such place here.
    /// - Throws: always the `CXErrorCodeCallDirectoryManagerError` `unknown`.
    nonisolated(nonsending) public func openSettings() async throws { throw Self.noSettings }

    private static var noSettings: CXErrorCodeCallDirectoryManagerError {
        CXErrorCodeCallDirectoryManagerError(.unknown, message: "there are no settings of directories to open")
    }

    /// - Returns: what the system answered; a status that is no word is unknown.
    private func ask(
        _ member: String, _ identifier: String,
        finish: @escaping @Sendable (Result<EnabledStatus, CXErrorCodeCallDirectoryManagerError>) -> Void
    ) {
        HostConnection.startLoop()
        Loop.shared.post {
            let path = ContractPath.directory
            HostConnection.shared.whenReachable {
                HostConnection.shared.call(
                    at: path, Contract.directory, member, identifier, timeoutMilliseconds: Self.patience
                ) { result in
                    finish(result.map { Self.status(in: $0) }.mapError { Self.error($0, identifier) })
                }
            }
        }
    }

    @LoopActor
    private static func status(in answer: Message) -> EnabledStatus {
        switch try? answer.read(String.self) {
        case "enabled": .enabled
        case "disabled": .disabled
        default: .unknown
        }
    }

    /// A system without directories knows no extension.
    private static func error(_ error: DBusError, _ identifier: String) -> CXErrorCodeCallDirectoryManagerError {
        switch error.name {
        case DBusError.Name.unknownObject, DBusError.Name.unknownInterface, DBusError.Name.unknownMethod:
            CXErrorCodeCallDirectoryManagerError(
                .noExtensionFound, message: "no directory \(identifier), this system keeps none", busName: error.name)
        case ErrorCode.invalidArguments.busName:
            CXErrorCodeCallDirectoryManagerError(.noExtensionFound, message: error.message)
        default: CXErrorCodeCallDirectoryManagerError(error)
        }
    }
}
