// The user's choice of providers, and who could take a call.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    /// Writes the choice down, puts it in force and tells the bus.
    ///
    /// - Throws: `InvalidArguments`; `StoreUnavailable` if it cannot be written. Nothing has changed then.
    func setDefaultProviders(_ wire: [String: String]) throws(CallError) {
        try defaultProvidersFile.keep(try DefaultProviderSettings(wire)) { new in
            guard new.choice != machine.defaultProviders else { return }
            submit(.defaultProvidersSet(new.choice))
            tree.propertiesChanged(at: .system, Contract.callSystem, ["DefaultProviders"])
        }
    }

    /// Takes over what was chosen when the daemon ran the last time.
    func loadDefaultProviders() {
        let choice = defaultProvidersFile.read().choice
        if !choice.isEmpty { submit(.defaultProvidersSet(choice)) }
    }

    /// Completes the starts of a request with the providers that the store prefers for them, and passes it on: at once if
    /// the choice is clear, or the store does not answer in time.
    func prefer(_ request: Request, then: @escaping @LoopActor (Request) -> Void) {
        let open = request.actions.firstIndex { action in
            guard case .start(_, let start) = action, start.provider == nil, start.preferred == nil else {
                return false
            }
            return !machine.isEmergency(start.handle)
                && machine.candidates(for: start).count { $0.reason == nil } > 1
        }
        guard let open, case .start(let call, var start) = request.actions[open], store.isReachable else {
            return then(request)
        }
        let timeout = Int(machine.deadlines[.lookUp])
        store.preferredProvider(of: start.handle, for: machine.owner(of: request), timeoutMilliseconds: timeout) {
            [weak self] id in
            var request = request
            start.preferred = id
            request.actions[open] = .start(call, start)
            // The later starts are left to the other rules.
            if self != nil { then(request) }
        }
    }

    /// The reply of FindProviders.
    func candidates(for start: StartRequest) -> [VariantDictionary] {
        let isEmergency = machine.isEmergency(start.handle)
        return machine.candidates(for: start).map { candidate in
            let provider = candidate.provider
            var wire: VariantDictionary = [
                "provider-id": .string(provider.id.rawValue), "name": .string(provider.configuration.localizedName),
                "takes": .bool(candidate.reason == nil), "reason": .string(candidate.reason ?? ""),
                "emergency": .bool(isEmergency),
            ]
            wire.set("provider", ObjectPath.provider(provider.id))
            return wire
        }
    }
}
