// Finds a provider's id, whether the provider exists or not.

import CallClient
import CallModel

extension Session {
    /// Returns the id of the provider that matches; if none matches, `reference` itself.
    func providerID(_ reference: String) async throws(Failure) -> String {
        let snapshot = try await snapshot()
        do {
            return try snapshot.provider(reference).id.rawValue
        } catch
            where snapshot.providers.contains(where: { $0.id.rawValue.lowercased().hasPrefix(reference.lowercased()) })
        {
            throw error  // several match
        } catch {
            return reference
        }
    }
}
