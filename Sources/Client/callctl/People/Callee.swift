// Callee: whom to call, named by a handle or by a name.

import CallClient
import CallModel
import DBus
import EventLoop

struct Callee: Sendable, Equatable {
    /// In the form that StartCall takes.
    let handle: String
    /// The id of the provider to call a favorite with; "" = any.
    var provider = ""
    /// What is dialed after the contact's number; "" for nothing.
    var postDial = ""

    /// Whom and what to dial, in the form that StartCall takes.
    var dialed: String { handle + postDial }
}

extension Session {
    /// Returns whom a handle, or the name of a favorite or contact, means. A name that means several handles is refused.
    ///
    /// - Parameter provider: the one to call with; nil for any.
    func callee(_ text: String, with provider: ObjectPath?) async throws(Failure) -> Callee {
        do {
            _ = try DialString(parsing: text)
            return Callee(handle: text)
        } catch {
            let found = try await people(named: text)
            let people = PersonRow.preferred(among: found)
            if people.count > 1 {
                // Of a list that is cut, those that are left out may be called as well.
                let isWhole = found.count < PersonRow.maximum
                let types = isWhole ? try await snapshot().handleTypes(of: provider) : []
                return try PersonRow.only(of: people, taking: types, for: text).callee
            }
            guard let only = people.first else { throw Failure(error) }
            return only.callee
        }
    }

    /// Returns the options of a start with the callee's provider, if that is ready and the options name none.
    func options(_ options: VariantDictionary, for callee: Callee) async throws(Failure) -> VariantDictionary {
        guard !callee.provider.isEmpty, options["provider"] == nil else { return options }
        var options = options
        let ready = try await snapshot().providers.first { $0.id.rawValue == callee.provider && $0.state == .ready }
        options.set("provider", ready?.path)
        return options
    }
}

extension Snapshot {
    /// The types of handles that a provider declares, or that any ready one does.
    fileprivate func handleTypes(of provider: ObjectPath?) -> Set<String> {
        let asked = providers.filter { provider == nil ? $0.state == .ready : $0.path == provider }
        return Set(asked.flatMap { $0.configuration.supportedHandleTypes.map(\.rawValue) })
    }
}
