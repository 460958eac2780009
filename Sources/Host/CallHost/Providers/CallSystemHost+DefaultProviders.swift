// The user's choice of providers, and who could take a call.

import CallCore
import CallModel
import CallWire
import DBus
import EventLoop

extension CallSystemHost {
    private static var maximumDefaults: Int { 32 }

    /// Replaces the choice, tells the bus and writes it down.
    func setDefaultProviders(_ wire: [String: String]) throws(CallError) {
        let choice = try Self.choice(wire)
        guard choice != machine.defaultProviders else { return }
        submit(.defaultProvidersSet(choice))
        tree.propertiesChanged(at: .system, Contract.callSystem, ["DefaultProviders"])
        saveDefaultProviders()
    }

    private static func choice(_ wire: [String: String]) throws(CallError) -> [String: ProviderID] {
        guard wire.count <= maximumDefaults else {
            throw CallError(.invalidArguments, "\(wire.count) entries, expected at most \(maximumDefaults)")
        }
        var choice: [String: ProviderID] = [:]
        for (key, value) in wire {
            guard HandleType(rawValue: key) != nil || DialString.isScheme(key) else {
                throw CallError(
                    .invalidArguments, "\"\(key.excerpt)\" is neither a URI scheme such as sip nor a handle type")
            }
            guard let id = ProviderID(value) else {
                throw CallError(.invalidArguments, "\"\(value.excerpt)\" for \(key) is not a valid provider id")
            }
            choice[key] = id
        }
        return choice
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
        store.preferredProvider(of: start.handle, for: request.requester, timeoutMilliseconds: timeout) {
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

    // MARK: The file

    /// Takes over what was chosen when the daemon ran the last time.
    func loadDefaultProviders() {
        let choice = loadSettings(Self.defaultProvidersFile, orElse: "no provider is preferred") { text in
            var choice: [String: String] = [:]
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 2 else {
                    throw CallError(.invalidArguments, "\"\(String(line).excerpt)\" is not a scheme and a provider id")
                }
                choice[words[0]] = words[1]
            }
            return try Self.choice(choice)
        }
        if let choice { submit(.defaultProvidersSet(choice)) }
    }

    private func saveDefaultProviders() {
        let lines = machine.defaultProviders.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
        saveSettings(Self.defaultProvidersFile, lines.joined(), of: "the default providers")
    }

    private static var defaultProvidersFile: String { "default-providers" }
}
