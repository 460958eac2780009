// org.opencallkit.Secrets1: the methods that callkitd calls.

import CallModel
import CallWire
import DBus
import EventLoop

@LoopActor
final class SecretsObject {
    static let path = ObjectPath.secrets

    static let keyringChanged = VoidSignal(Contract.secrets, PrivateMember.Secrets.keyringChanged)

    private unowned let server: SecretsServer

    init(_ server: SecretsServer) { self.server = server }

    static let interface = Interface<SecretsObject>(Contract.secrets) {
        DeferredMethod(PrivateMember.Secrets.store, in: ["storage", "account", "key", "secret"]) {
            (
                object: SecretsObject, invocation: VoidInvocation, storage: String, account: String, key: String,
                secret: [UInt8]
            ) throws(CallError) in
            let storage = try SecretsObject.storage(storage)
            let (account, key) = (try SecretsObject.account(account), try SecretsObject.key(key))
            guard (1...AccountField.maximumSecret).contains(secret.count) else {
                throw CallError(
                    .invalidArguments,
                    "the secret has \(secret.count) bytes, expected 1 to \(AccountField.maximumSecret)")
            }
            let kept = Secret(secret)
            invocation.answer { try await object.server.store(kept, key, account, in: storage) }
        }
        DeferredMethod(PrivateMember.Secrets.lookUp, in: ["storage", "account"], out: ["secrets"]) {
            (
                object: SecretsObject, invocation: Invocation<[String: [UInt8]]>, storage: String, account: String
            ) throws(CallError) in
            let (storage, account) = (try SecretsObject.storage(storage), try SecretsObject.account(account))
            invocation.answer { try await object.server.lookUp(account, in: storage).mapValues(\.bytes) }
        }
        DeferredMethod(PrivateMember.Secrets.clear, in: ["storage", "account", "key"]) {
            (
                object: SecretsObject, invocation: VoidInvocation, storage: String, account: String, key: String
            ) throws(CallError) in
            let (storage, account) = (try SecretsObject.storage(storage), try SecretsObject.account(account))
            let key = key.isEmpty ? nil : try SecretsObject.key(key)
            invocation.answer { try await object.server.clear(key, account, in: storage) }
        }
        DeferredMethod(PrivateMember.Secrets.unlock) { (object: SecretsObject, invocation: VoidInvocation) in
            invocation.answer { try await object.server.unlock() }
        }
        SecretsObject.keyringChanged
    }

    private static func storage(_ word: String) throws(CallError) -> SecretStorage {
        guard let storage = SecretStorage(rawValue: word) else {
            let known = SecretStorage.allCases.map(\.rawValue).joined(separator: ", ")
            throw CallError(.invalidArguments, "the storage is \"\(word.excerpt)\", expected one of \(known)")
        }
        return storage
    }

    private static func account(_ text: String) throws(CallError) -> AccountID {
        guard let account = AccountID(rawValue: text) else {
            throw CallError(
                .invalidArguments, "the account is \"\(text.excerpt)\", expected a UUID in small letters")
        }
        return account
    }

    private static func key(_ text: String) throws(CallError) -> String {
        guard let field = AccountField(text, .secret) else {
            throw CallError(
                .invalidArguments, "the key is \"\(text.excerpt)\", expected 1 to 32 characters out of a-z, 0-9 and -")
        }
        return field.key
    }
}
