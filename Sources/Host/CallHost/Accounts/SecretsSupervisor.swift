// SecretsSupervisor: keeps callkit-secrets running while it is needed, and asks it.

import CallModel
import CallWire
import DBus
import EventLoop
import Logging
import WorkerLaunch

/// The process with the secrets. It is started for the first request.
@LoopActor
final class SecretsSupervisor {
    private let context: HostContext
    private let process = SupervisedProcess(
        BackOff(pauses: [.zero, .milliseconds(250), .seconds(1), .seconds(5), .seconds(30)]), pingDeadline: .seconds(5))
    private var isStopping = false
    /// Called when secrets that could not be had may be there now.
    var onKeyringChanged: @LoopActor () -> Void = {}
    /// Called when the process has been started again.
    var onStarted: @LoopActor () -> Void = {}
    /// Called when the process has ended, and with it what it kept in its memory.
    var onLost: @LoopActor () -> Void = {}

    /// The longest message, in bytes: all secrets of an account.
    private static let maximumMessage = 1 << 20
    private static let timeout = Duration.seconds(20)
    /// People look for their password.
    private static let unlockTimeout = Duration.seconds(300)

    init(_ context: HostContext) {
        self.context = context
        process.delegate = self
    }

    func stop() {
        isStopping = true
        process.stop()
    }

    /// Keeps a secret.
    ///
    /// - Throws: `KeyringLocked`, `KeyringUnavailable`, `StoreUnavailable` or `InvalidArguments`, as Secrets1 says.
    func store(
        _ secret: [UInt8], _ key: String, of account: AccountID, in storage: SecretStorage
    ) async throws(CallError) {
        try await ask(storage == .keyring ? Self.unlockTimeout : Self.timeout) { link, timeout throws(DBusError) in
            try await link.call(
                at: .secrets, Contract.secrets, PrivateMember.Secrets.store, storage.rawValue, account.rawValue, key,
                secret, timeout: timeout)
        }
    }

    /// Returns an account's secrets by their keys.
    func lookUp(_ account: AccountID, in storage: SecretStorage) async throws(CallError) -> [String: [UInt8]] {
        try await ask(Self.timeout) { link, timeout throws(DBusError) -> [String: [UInt8]] in
            try await link.call(
                at: .secrets, Contract.secrets, PrivateMember.Secrets.lookUp, storage.rawValue, account.rawValue,
                timeout: timeout)
        }
    }

    /// Removes a secret, or all of an account's.
    func clear(_ key: String = "", of account: AccountID, in storage: SecretStorage) async throws(CallError) {
        try await ask(Self.timeout) { link, timeout throws(DBusError) in
            try await link.call(
                at: .secrets, Contract.secrets, PrivateMember.Secrets.clear, storage.rawValue, account.rawValue, key,
                timeout: timeout)
        }
    }

    /// Asks the user to unlock the keyring, and returns when that is done.
    func unlock() async throws(CallError) {
        try await ask(Self.unlockTimeout) { link, timeout throws(DBusError) in
            try await link.call(
                at: .secrets, Contract.secrets, PrivateMember.Secrets.unlock, timeout: timeout)
        }
    }

    private func ask<Answer>(
        _ timeout: Duration, _ question: (PrivateLink, Duration) async throws(DBusError) -> Answer
    ) async throws(CallError) -> Answer {
        if !isStopping, !process.isRunning { process.start() }
        guard let link = process.link else { throw Self.unavailable("callkit-secrets is not running") }
        // Where people are waited for, a process that hangs is noticed before they are given up.
        if timeout > Self.timeout { process.ping(after: Self.timeout) }
        do throws(DBusError) {
            return try await question(link, timeout)
        } catch {
            if error.name == DBusError.Name.timeout { process.ping() }
            guard let code = ErrorCode(busName: error.name) else {
                throw Self.unavailable("callkit-secrets did not answer: \(error.message)")
            }
            throw CallError(code, error.message)
        }
    }

    private static func unavailable(_ reason: String) -> CallError { CallError(.storeUnavailable, reason) }
}

extension SecretsSupervisor: SupervisedProcessDelegate {
    func launch(onExit: @escaping @LoopActor (LinkedProcess, ExitStatus) -> Void) throws -> LinkedProcess {
        let configuration = context.configuration
        guard let path = configuration.secretsPath else {
            throw CallError(.storeUnavailable, "callkitd runs without callkit-secrets")
        }
        return try LinkedProcess(
            path, [], environment: configuration.environment, withSessionBus: true, onExit: onExit)
    }

    func started(on link: PrivateLink) {
        link.acceptLargeMessages(Self.maximumMessage)
        link.onSignal = { [weak self] message in
            guard message.interface == Contract.secrets, message.member == PrivateMember.Secrets.keyringChanged else {
                return
            }
            self?.onKeyringChanged()
        }
        Loop.shared.post { [weak self] in self?.onStarted() }
    }

    func answeredPing() {}

    func linkClosed() {}

    func ended(_ end: SupervisedProcess.End) {
        guard !isStopping else { return }
        switch end {
        case .notStarted(let error): context.log.error("callkit-secrets cannot be started: \(error)")
        case .failed(let status, let reason):
            context.log.error("callkit-secrets \(reason ?? status.description)")
            _ = process.startAgain()
        case .stopped: break
        }
        onLost()
    }
}
