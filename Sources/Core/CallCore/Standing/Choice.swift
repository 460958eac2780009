// Which provider takes a start.

public import CallModel

/// A provider that could take a start, or the reason why it cannot.
public struct StartCandidate: Sendable, Hashable {
    public let provider: Provider
    /// Nil if it can take the start.
    public let reason: String?
}

extension Standing {
    /// The provider that takes a start: the one that is named, or the best of those that can.
    ///
    /// - Parameter conflict: what happens to calls in the way: those that end leave room for the new one.
    /// - Throws: `InvalidArguments` for a service code, and for a URI whose scheme nobody declares; `UnknownProvider`.
    func provider(for request: StartRequest, _ conflict: ConflictPolicy) throws(CallError) -> Provider {
        _ = try callable(request.handle)
        guard isDeclared(request) else { throw undeclaredScheme(request.scheme) }
        if let id = request.provider {
            let isEmergency = isEmergency(request.handle)
            var text = "no provider \(id)"
            if let provider = providers[id] {
                let reason = provider.reasonAgainst(request, scheme: request.scheme, isEmergency: isEmergency)
                guard let reason else { return provider }
                text = "provider \(id) \(reason)"
            }
            // Rule 19: an emergency call goes to another one then.
            guard isEmergency else { throw CallError(.unknownProvider, text) }
        }
        let candidates = candidates(for: request, conflict)
        if let best = candidates.first, best.reason == nil { return best.provider }
        throw refusal(of: request, by: candidates)
    }

    /// The most important words come first: in an emergency there is no time to read.
    private func refusal(of request: StartRequest, by candidates: [StartCandidate]) -> CallError {
        let first = candidates.prefix(4)
        guard isEmergency(request.handle) else {
            let text = "no provider takes \(request.takenAs)"
            let reasons = first.map { "\($0.provider.id) \($0.reason ?? "")" }
            return CallError(.unknownProvider, text + (reasons.isEmpty ? "" : ": \(reasons.joined(separator: ", "))"))
        }
        let number = request.handle.asDialed.value
        let text = "No provider here reaches the emergency services: call \(number) with another phone."
        let reasons = first.map { candidate in
            let name = candidate.provider.configuration.localizedName
            return "\(name.isEmpty ? candidate.provider.id.rawValue : name) \(candidate.reason ?? "")"
        }
        return CallError(.unknownProvider, text + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"))
    }

    /// Whether a number is one of the emergency services' (rule 19): one that is known everywhere, or that an entitled
    /// provider declares, whether it can take calls now or not.
    func isEmergency(_ handle: Handle) -> Bool {
        handle.isAmong(Handle.wellKnownEmergencyNumbers) || providers.values.contains { $0.isEmergency(handle) }
    }

    /// A handle as it is called: an emergency number without the `#` that may follow it.
    ///
    /// - Throws: `InvalidArguments` for a service code.
    func callable(_ handle: Handle) throws(CallError) -> Handle {
        if isEmergency(handle) { return handle.withoutFinalHash }
        guard !handle.isServiceCode else { throw CallError.serviceCode }
        return handle
    }

    /// All providers in the order in which they are asked to take a start, those that cannot last. An emergency call goes
    /// only to a provider that reaches the emergency services.
    func candidates(for request: StartRequest, _ conflict: ConflictPolicy = .hold) -> [StartCandidate] {
        let isEmergency = isEmergency(request.handle)
        let scheme = request.scheme.isEmpty && request.handle.type == .phoneNumber ? "tel" : request.scheme
        let wanted = [
            request.preferred, providers.defaults[scheme], providers.defaults[request.handle.type.rawValue],
        ]
        let situation = calls.situation
        let leaving = conflict == .end ? situation.line : []
        let rows = providers.values.map { provider in
            let place = wanted.firstIndex { $0 == provider.id } ?? wanted.count
            let groups = situation.groupCount(of: provider.id, leaving: leaving)
            let isFull = groups >= Int(provider.configuration.maximumCallGroups)
            let takesScheme = provider.configuration.supportedSchemes.contains(scheme)
            let reason = provider.reasonAgainst(request, scheme: scheme, isEmergency: isEmergency, isNamed: false)
            let rank = [
                reason == nil ? 0 : 1, isEmergency && !provider.isEmergency(request.handle) ? 1 : 0, isFull ? 1 : 0,
                place, takesScheme ? 0 : 1, provider.isPackaged ? 0 : 1, Int(provider.order),
            ]
            return (rank, StartCandidate(provider: provider, reason: reason))
        }
        return rows.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }

    /// The provider that takes an emergency call if others do not; nil if there is none.
    func nextProvider(forEmergency start: StartRequest, besides others: Set<ProviderID>) -> Provider? {
        var start = start
        start.provider = nil
        return candidates(for: start).first { $0.reason == nil && !others.contains($0.provider.id) }?.provider
    }

    /// The provider to which an emergency call goes on that is being started; nil if there is none.
    func nextProvider(forStarting id: CallID) -> Provider? {
        guard let call = calls.standing(of: id), call.emergency, call.state == .starting, !isShuttingDown,
            let transaction = work.transactions.first(where: { $0.starts(id) }),
            case .start(_, let start)? = transaction.current
        else { return nil }
        return nextProvider(forEmergency: start, besides: transaction.passedOver.union([call.provider]))
    }

    /// Whether an emergency call has gone on to another provider than the one that was to start it.
    func isPassedOn(_ action: PendingAction) -> Bool {
        guard action.kind == .start, let call = calls.standing(of: action.call) else { return false }
        return call.state == .starting && call.provider != action.performed.provider
    }

    /// Whether a URI may be called: a provider declares its scheme, unless the scheme is one that all know. A link to a page
    /// is no call, though any text may be a generic handle.
    func isDeclared(_ request: StartRequest) -> Bool {
        !request.needsDeclaredScheme
            || providers.values.contains { $0.configuration.supportedSchemes.contains(request.scheme) }
    }

    private func undeclaredScheme(_ scheme: String) -> CallError {
        let declared = Set(providers.values.flatMap(\.configuration.supportedSchemes))
        let known = DialString.knownSchemes + declared.subtracting(DialString.knownSchemes).sorted()
        return CallError(
            .invalidArguments,
            "no provider takes URIs of the scheme \(scheme), expected one of \(known.joined(separator: ", "))")
    }
}

extension StartRequest {
    /// Whether only a provider that declares the URI's scheme takes it.
    fileprivate var needsDeclaredScheme: Bool {
        handle.type == .generic && !scheme.isEmpty && !DialString.knownSchemes.contains(scheme)
    }

    /// What a provider must declare.
    fileprivate var takenAs: String {
        needsDeclaredScheme ? "URIs of the scheme \(scheme)" : "handles of type \(handle.type.rawValue)"
    }
}

extension Provider {
    /// Whether a call to `handle` reaches the emergency services with this provider.
    public func isEmergency(_ handle: Handle) -> Bool { handle.isAmong(emergencyNumbers) }

    /// The numbers that reach the emergency services through it.
    public var emergencyNumbers: [String] { isEntitled ? configuration.emergencyNumbers : [] }

    /// Returns a handle that it reports as those are written that it is given: a generic one without a scheme belongs to the
    /// only scheme of its own that it declares.
    func identified(_ handle: Handle) -> Handle {
        guard handle.type == .generic, let scheme = configuration.ownScheme, !DialString.hasScheme(handle.value) else {
            return handle
        }
        return (try? Handle(type: .generic, value: "\(scheme):\(handle.value)")) ?? handle
    }

    /// Why it cannot take a start, to be read after its name; nil if it can.
    ///
    /// - Parameters:
    ///   - scheme: that of the URI, or the one that stands for its handle.
    ///   - isEmergency: whether the call is an emergency call, which only some can take.
    ///   - isNamed: whether the user named the provider, so that the handle's type need not fit.
    fileprivate func reasonAgainst(
        _ request: StartRequest, scheme: String, isEmergency: Bool, isNamed: Bool = true
    ) -> String? {
        let handle = request.handle
        guard isReady else { return "is unavailable" }
        if isEmergency, !self.isEmergency(handle) { return "does not reach the emergency services" }
        switch configuration.availability {
        case .online: break
        case .emergencyOnly where isEmergency: break
        case .emergencyOnly: return "can only make emergency calls"
        case .connecting: return "is connecting"
        case .offline: return "is offline"
        case .unauthorized: return "is not authorized"
        }
        if request.hidesNumber != nil, !isEmergency, !configuration.supportsHidingNumber {
            return "cannot hide or show your number for one call"
        }
        if configuration.supportedSchemes.contains(scheme) { return nil }
        if request.needsDeclaredScheme { return "does not declare the scheme \(scheme)" }
        let fits = configuration.supportedHandleTypes.contains(handle.type)
        return fits || isNamed ? nil : "does not declare handles of type \(handle.type.rawValue)"
    }
}
