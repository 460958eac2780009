// Changes of secrets, which take their time.

import CallModel
import DBus
import EventLoop
import Files
import WorkerLaunch

extension AccountSupervisor {
    /// How many clients may write one at a time.
    private static var maximumInArrival: Int { 8 }
    /// How long the client may take to write it, in milliseconds.
    private static var writeTimeout: Int { 5_000 }

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
            try await self.store(secret, key, of: account, in: wish ?? account.record.storage)
        }
    }

    func clearSecret(_ key: String, of account: Account) async throws(CallError) {
        try await inTurn(account) { () async throws(CallError) in
            guard let storage = account.record.storage, account.record.secrets.contains(key) else { return }
            try await self.secrets.clear(key, of: account.id, in: storage)
            account.found?.remove(key)
            try self.change(account) {
                $0.secrets.remove(key)
                if $0.secrets.isEmpty { $0.storage = nil }
            }
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
                    pipe.number, maximum: AccountField.maximumSecret, timeout: .milliseconds(Self.writeTimeout)
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
        case .failure(.tooLong): throw invalid("is longer than \(AccountField.maximumSecret) bytes")
        case .failure(.tooLate): throw invalid("has no end within \(Self.writeTimeout / 1_000) s")
        }
    }

    /// Keeps a secret where it is wished, or else in the keyring if there is one, and takes the account's others there.
    private func store(
        _ secret: [UInt8], _ key: String, of account: Account, in wish: SecretStorage?
    ) async throws(CallError) -> SecretStorage {
        do throws(CallError) {
            return try await keep(secret, key, of: account, to: wish ?? .keyring)
        } catch {
            guard error.code == .keyringUnavailable, wish == nil else { throw error }
            return try await keep(secret, key, of: account, to: .memory)
        }
    }

    /// Keeps a secret and all others of the account in one place. What was kept stays until the new place counts.
    private func keep(
        _ secret: [UInt8], _ key: String, of account: Account, to storage: SecretStorage
    ) async throws(CallError) -> SecretStorage {
        let place = SecretPlace(account: account.id, storage: storage)
        let old = account.record.storage
        try requirePresent(account)
        if old != storage, leftovers.note(place), storage != .memory { try save() }
        leftovers.begin(place)
        defer { leftovers.end(place) }
        try await secrets.store(secret, key, of: account.id, in: storage)
        if let old, old != storage, account.record.secrets.contains(where: { $0 != key }) {
            for (other, value) in try await secrets.lookUp(account.id, in: old) where other != key {
                try await secrets.store(value, other, of: account.id, in: storage)
            }
        }
        do throws(CallError) {
            try requirePresent(account)
        } catch {
            _ = leftovers.note(place)
            throw error
        }
        let left = old == storage ? nil : old.map { SecretPlace(account: account.id, storage: $0) }
        leftovers.forget(place)
        if let left { _ = leftovers.note(left) }
        do throws(CallError) {
            try change(account) {
                $0.storage = storage
                $0.secrets.insert(key)
            }
        } catch {
            if old != storage { _ = leftovers.note(place) }
            if let left { leftovers.forget(left) }
            throw error
        }
        account.found = nil
        account.trouble = nil
        account.generation += 1
        changed(account)
        if let left, await leftovers.clear(left) { saveWhatIsLeft() }
        return storage
    }

    private func requirePresent(_ account: Account) throws(CallError) {
        guard has(account) else {
            throw CallError(.invalidArguments, "account \(account.id.rawValue) was removed meanwhile")
        }
    }
}
