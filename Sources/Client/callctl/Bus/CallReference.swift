// Finds a call, also by its number in another notation.

import CallClient
import CallModel
import DBus
import EventLoop

extension Session {
    /// Returns the call of a snapshot that `reference` names; without a reference, the only one among `candidates`.
    ///
    /// A number that no call has as it is written is compared by the daemon's number plan, so that +46705550102 is
    /// 0705550102 in Sweden. While the store is away, only the written forms are compared.
    func find(_ reference: String?, or candidates: Candidates, in snapshot: Snapshot) async throws(Failure)
        -> PublishedCall
    {
        var snapshot = snapshot
        if let reference, !snapshot.names(reference), let dialed = try? DialString(parsing: reference),
            dialed.handle.type == .phoneNumber, let wanted = await normalized(dialed.handle.value)
        {
            for call in snapshot.calls {
                guard let handle = call.handle, handle.type == .phoneNumber else { continue }
                if await normalized(handle.value) == wanted { snapshot.sameNumber.insert(call.path) }
            }
        }
        return try snapshot.call(reference, or: candidates)
    }

    /// Returns a number in the form in which the daemon compares it; nil if the daemon does not tell.
    private func normalized(_ number: String) async -> String? {
        let known: VariantDictionary? = try? await call(
            at: DaemonPath.directory, Contract.directory, "Identify", number, waiting: Self.quickTimeout)
        return known?["normalized"].flatMap { try? $0.value() }
    }
}
