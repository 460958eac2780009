// SecretsServer: the three storages, and the link on which they are served.

import CallModel
import CallWire
import DBus
import EventLoop

/// Serves callkitd at the other end of a link.
@LoopActor
final class SecretsServer {
    /// The longest message, in bytes.
    nonisolated static let maximumMessage = 1 << 20

    private let link: PrivateLink
    private let keyring: Keyring
    private let files: SecretFolder
    private let memory = SecretMemory()
    private let watch = KeyringWatch()
    private let tree = ObjectTree(
        invalidArgumentsErrorName: ErrorCode.invalidArguments.busName,
        limitsExceededErrorName: ErrorCode.limitsExceeded.busName)

    init(_ link: PrivateLink, _ keyring: Keyring, _ files: SecretFolder) {
        self.link = link
        self.keyring = keyring
        self.files = files
        tree.export(SecretsObject(self), at: SecretsObject.path, SecretsObject.interface)
        watch.onChange = { [tree] in tree.emit(SecretsObject.keyringChanged, from: SecretsObject.path) }
    }

    func start() {
        link.acceptLargeMessages(Self.maximumMessage)
        tree.serve(on: link)
        watch.start()
    }

    /// Erases what is kept in memory.
    func stop() {
        watch.stop()
        memory.eraseAll()
    }

    func store(_ secret: Secret, _ key: String, _ account: AccountID, in storage: SecretStorage) async throws(CallError)
    {
        switch storage {
        case .keyring: try await keyring.store(secret, key, account)
        case .memory: memory.store(secret, key, account)
        case .file: try files.store(secret, key, account)
        }
    }

    func lookUp(_ account: AccountID, in storage: SecretStorage) async throws(CallError) -> [String: Secret] {
        switch storage {
        case .keyring: try await lookUpInKeyring(account)
        case .memory: memory.lookUp(account)
        case .file: try files.lookUp(account)
        }
    }

    private func lookUpInKeyring(_ account: AccountID) async throws(CallError) -> [String: Secret] {
        do throws(CallError) {
            return try await keyring.lookUp(account)
        } catch {
            if error.code == .keyringUnavailable { watch.failed() }
            throw error
        }
    }

    /// - Parameter key: Nil removes all of the account's.
    func clear(_ key: String?, _ account: AccountID, in storage: SecretStorage) async throws(CallError) {
        switch storage {
        case .keyring: try await keyring.clear(key, account)
        case .memory: memory.clear(key, account)
        case .file: try files.clear(key, account)
        }
    }

    func unlock() async throws(CallError) { try await keyring.unlock() }
}
