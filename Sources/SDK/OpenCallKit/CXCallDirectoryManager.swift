// CXCallDirectoryManager: loads directories and reads their status.

internal import CallModel
internal import CallWire
internal import DBus
internal import EventLoop

/// Loads call directories and reads their status (CallKit: CXCallDirectoryManager).
///
/// An extension is a plugin that exports `opencallkit_directory_main`; its identifier is the plugin's id. It has no
/// effect until the user enables it (see DirectoryExtension1 on the bus, and `callctl directory enable`).
public final class CXCallDirectoryManager: Sendable {
    /// Whether the user has enabled a directory. An enabled directory need not be loaded (CallKit:
    /// CXCallDirectoryManager.EnabledStatus).
    public enum EnabledStatus: Int, Sendable, Hashable, CaseIterable {
        /// The status is unknown.
        case unknown = 0
        /// Disabled: its entries have no effect.
        case disabled = 1
        /// Enabled.
        case enabled = 2
    }

    /// The manager of this process, which is safe to use on any thread.
    public static let sharedInstance = CXCallDirectoryManager()

    /// The time limit for a load; the system's own limit is shorter.
    private static let requestTimeout = Duration.seconds(600)

    private let queue = DispatchQueue(label: "org.opencallkit.CXCallDirectoryManager")

    private init() {}

    /// Runs an extension and loads its entries.
    /// - Parameters:
    ///   - identifier: the plugin's id.
    ///   - completion: called on a private queue, with a `CXErrorCodeCallDirectoryManagerError` if loading failed.
    public func reloadExtension(
        withIdentifier identifier: String, completionHandler completion: (((any Error)?) -> Void)? = nil
    ) {
        let completion = Confined(completion)
        ask(.reload, identifier) { [queue] result in
            queue.async {
                switch result {
                case .success: completion.value?(nil)
                case .failure(let error): completion.value?(error)
                }
            }
        }
    }

    /// Runs an extension and loads its entries.
    /// - Throws: `CXErrorCodeCallDirectoryManagerError`.
    nonisolated(nonsending) public func reloadExtension(withIdentifier identifier: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            ask(.reload, identifier) { result in
                continuation.resume(with: result.map { _ in }.mapError { $0 })
            }
        }
    }

    /// Returns whether the user has enabled an extension.
    /// - Parameters:
    ///   - identifier: the plugin's id.
    ///   - completion: called on a private queue, with the status, and an error if it is unknown.
    public func getEnabledStatusForExtension(
        withIdentifier identifier: String, completionHandler completion: @escaping (EnabledStatus, (any Error)?) -> Void
    ) {
        let completion = Confined(completion)
        ask(.status, identifier) { [queue] result in
            queue.async {
                switch result {
                case .success(let status): completion.value(status, nil)
                case .failure(let error): completion.value(.unknown, error)
                }
            }
        }
    }

    /// Returns whether the user has enabled an extension.
    /// - Throws: `CXErrorCodeCallDirectoryManagerError`.
    nonisolated(nonsending) public func enabledStatusForExtension(
        withIdentifier identifier: String
    ) async throws -> EnabledStatus {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<EnabledStatus, any Error>) in
            ask(.status, identifier) { result in continuation.resume(with: result.mapError { $0 }) }
        }
    }

    /// Opens the settings of directories, which this system does not have.
    /// - Parameter completion: called on a private queue, always with the error `unknown`.
    public func openSettings(completionHandler completion: (((any Error)?) -> Void)? = nil) {
        let completion = Confined(completion)
        queue.async { completion.value?(Self.noSettings) }
    }

    /// Opens the settings of directories, which this system does not have.
    /// - Throws: always the `CXErrorCodeCallDirectoryManagerError` `unknown`.
    nonisolated(nonsending) public func openSettings() async throws { throw Self.noSettings }

    private static var noSettings: CXErrorCodeCallDirectoryManagerError {
        CXErrorCodeCallDirectoryManagerError(.unknown, message: "there are no settings of directories to open")
    }

    private enum Question { case reload, status }

    /// - Returns: the system's answer; an invalid status is unknown.
    private func ask(
        _ question: Question, _ identifier: String,
        finish: @escaping @Sendable (Result<EnabledStatus, CXErrorCodeCallDirectoryManagerError>) -> Void
    ) {
        guard let path = ObjectPath.plugins.appending(identifier) else {
            return finish(
                .failure(
                    CXErrorCodeCallDirectoryManagerError(
                        .noExtensionFound, message: "\"\(identifier.excerpt)\" is not a plugin's id")))
        }
        Loop.shared.start()
        Loop.shared.post {
            let answered: @LoopActor (Result<Message, DBusError>) -> Void = { result in
                finish(result.map { Self.status(in: $0) }.mapError { Self.error($0, identifier) })
            }
            let connection = SDKSession.current.connection
            connection.whenReachable {
                switch question {
                case .reload:
                    connection.call(
                        at: path, Contract.directoryExtension, "Reload", timeout: Self.requestTimeout,
                        reply: answered)
                case .status:
                    connection.call(
                        at: path, StandardInterface.properties, "Get", Contract.directoryExtension, "Status",
                        timeout: Self.requestTimeout, reply: answered)
                }
            }
        }
    }

    @LoopActor
    private static func status(in answer: Message) -> EnabledStatus {
        switch try? answer.read(Variant.self) {
        case .string("enabled"): .enabled
        case .string("disabled"): .disabled
        default: .unknown
        }
    }

    /// Turns a reply of the system into an error. A system without directories has no extension.
    private static func error(_ error: DBusError, _ identifier: String) -> CXErrorCodeCallDirectoryManagerError {
        switch error.name {
        case DBusError.Name.unknownObject, DBusError.Name.unknownInterface, DBusError.Name.unknownMethod:
            CXErrorCodeCallDirectoryManagerError(
                .noExtensionFound, message: "no directory \(identifier), this system keeps none")
        case ErrorCode.invalidArguments.busName:
            CXErrorCodeCallDirectoryManagerError(.noExtensionFound, message: error.message)
        default: CXErrorCodeCallDirectoryManagerError(error)
        }
    }
}
