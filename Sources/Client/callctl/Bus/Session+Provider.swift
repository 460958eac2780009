// Which provider is meant, be it there or not.

import CallModel

extension Session {
    /// The id of a provider that is there; of one that is not, what was typed must be the id.
    func providerID(_ reference: String) async throws(Failure) -> String {
        let snapshot = try await snapshot()
        do {
            return try snapshot.provider(reference).id
        } catch  where snapshot.providers.contains(where: { $0.id.lowercased().hasPrefix(reference.lowercased()) }) {
            throw error  // several fit
        } catch {
            return reference
        }
    }
}
