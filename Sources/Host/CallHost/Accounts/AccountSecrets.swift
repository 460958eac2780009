// Changes of secrets, which take their time.

import CallModel
import DBus
import EventLoop
import Files
import WorkerLaunch

extension AccountSupervisor {
    private static var longestSecret: Int { 4_096 }
    /// How many clients may write one at a time.
    private static var maximumInArrival: Int { 8 }
    /// How long the client may take to write it, in milliseconds.
    private static var patience: Int { 5_000 }

    /// Reads a secret from a pipe and keeps it.
    ///
    /// - Returns: where it is.
    func setSecret(
        _ key: String, _ pipe: OwnedDescriptor, _ wish: SecretStorage?, of account: Account
    ) async throws(CallError) -> SecretStorage {
        _ = try schema(of: account.record.plugin).get().secret(key)
        guard secretsInArrival < Self.maximumInArrival else {
            throw CallError(
                .limitsExceeded, "\(secretsInArrival) secrets are being set, expected at most \(Self.maximumInArrival)")
        }
        secretsInArrival += 1
        defer { secretsInArrival -= 1 }
        let secret = try await read(pipe, key)
        return try await inTurn(account) { () async throws(CallError) in
            let storage = try await self.store(secret, key, of: account, in: wish ?? account.record.storage)
            guard self.accounts.contains(where: { $0 === account }) else {
                try? await self.secrets.clear(of: account.id, in: storage)
                throw CallError(.invalidArguments, "account \(account.id.rawValue) was removed meanwhile")
            }
            account.record.storage = storage
            account.record.secrets.insert(key)
            account.trouble = nil
            account.generation += 1
            self.changed(account)
            return storage
        }
    }

    func clearSecret(_ key: String, of account: Account) async throws(CallError) {
        try await inTurn(account) { () async throws(CallError) in
            guard let storage = account.record.storage, account.record.secrets.contains(key) else { return }
            try await self.secrets.clear(key, of: account.id, in: storage)
            account.record.secrets.remove(key)
            if account.record.secrets.isEmpty { account.record.storage = nil }
            account.generation += 1
            self.changed(account)
        }
    }

    /// Changes an account's secrets when the changes before have come to their end.
    private func inTurn<Outcome: Sendable>(
        _ account: Account, _ change: @escaping @LoopActor () async throws(CallError) -> Outcome
    ) async throws(CallError) -> Outcome {
        let previous = account.latestChange
        let task = Task<Result<Outcome, CallError>, Never> {
            await previous?.value
            do throws(CallError) {
                return .success(try await change())
            } catch {
                return .failure(error)
            }
        }
        account.latestChange = Task { _ = await task.value }
        return try await task.value.get()
    }

    private func read(_ pipe: OwnedDescriptor, _ key: String) async throws(CallError) -> [UInt8] {
        func invalid(_ reason: String) -> CallError { CallError(.invalidArguments, "the secret \(key) \(reason)") }
        var reader: PipeReader?
        let result: Result<[UInt8], PipeReader.Failure> = await withCheckedContinuation { continuation in
            do throws(PipeReader.Failure) {
                reader = try PipeReader(
                    pipe.number, maximum: Self.longestSecret, timeoutMilliseconds: Self.patience
                ) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        withExtendedLifetime(reader) {}
        switch result {
        case .success(let bytes):
            guard !bytes.isEmpty, !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else {
                throw invalid(bytes.isEmpty ? "is empty" : "is no text in UTF-8, or has a NUL")
            }
            return bytes
        case .failure(.notAPipe): throw invalid("is not the reading end of a pipe")
        case .failure(.tooLong): throw invalid("is longer than \(Self.longestSecret) bytes")
        case .failure(.tooLate): throw invalid("has no end within \(Self.patience / 1_000) s")
        }
    }

    /// Keeps a secret where it is wished, or else in the keyring if there is one, and takes the account's others there.
    private func store(
        _ secret: [UInt8], _ key: String, of account: Account, in wish: SecretStorage?
    ) async throws(CallError) -> SecretStorage {
        let old = account.record.storage
        var storage = wish ?? .keyring
        do throws(CallError) {
            try await secrets.store(secret, key, of: account.id, in: storage)
        } catch {
            guard error.code == .keyringUnavailable, wish == nil else { throw error }
            storage = .memory
            try await secrets.store(secret, key, of: account.id, in: storage)
        }
        guard let old, old != storage else { return storage }
        for (other, value) in try await secrets.lookUp(account.id, in: old) where other != key {
            try await secrets.store(value, other, of: account.id, in: storage)
        }
        try await secrets.clear(of: account.id, in: old)
        return storage
    }
}
