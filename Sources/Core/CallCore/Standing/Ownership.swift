// Ownership: a plugin acts on the calls of its own providers, and on no others. Clients act on all calls.

import CallModel

extension Standing {
    /// Returns the request with what it leaves open. A call that a plugin starts without naming a provider is started with
    /// the plugin's own provider. An emergency call stays open to all providers, its number is written as it is dialed:
    /// `9-1-1` becomes `911`, and so does `911#`; and it shows the user's own number as the network does.
    func completed(_ request: Request) -> Request {
        var (request, own) = (request, ProviderID?.none)
        if case .provider(let id) = request.requester, owner(of: request).isPlugin { own = id }
        for (index, action) in request.actions.enumerated() {
            guard case .start(let call, var start) = action else { continue }
            if isEmergency(start.handle) {
                (start.handle, start.hidesNumber) = (start.handle.asDialed.withoutFinalHash, nil)
            } else {
                start.provider = start.provider ?? own
            }
            request.actions[index] = .start(call, start)
        }
        return request
    }

    /// - Throws: `AccessDenied` if a plugin requests something for the calls of others. What is asked of a call that is not
    ///   there fails by itself.
    func checkOwnership(of request: Request) throws(CallError) {
        let owner = owner(of: request)
        guard owner.isPlugin else { return }
        for action in request.actions {
            switch action {
            case .start(_, let start):
                guard let id = start.provider, let provider = providers[id] else { continue }
                guard provider.owner == owner else {
                    throw CallError(
                        .accessDenied, "\(owner) may start calls with its own providers only, not with \(id)")
                }
            default:
                guard let id = calls.standing(of: action.call)?.provider else { continue }
                guard providers[id]?.owner == owner else {
                    throw CallError(
                        .accessDenied, "\(owner) may act on its own calls only, call \(action.call) is not its own")
                }
            }
        }
        guard request.conflict != .end else {
            throw CallError(.accessDenied, "\(owner) may not end the calls of others: conflict is \"end\"")
        }
    }

    /// The transactions of plugins that act on the calls of others, each as a sentence.
    func ownershipViolations() -> [String] {
        work.transactions.flatMap { transaction -> [String] in
            guard case .request(.provider(let id)) = transaction.origin, let owner = providers[id]?.owner,
                owner.isPlugin
            else { return [] }
            return transaction.actions.compactMap { action in
                let call = calls.standing(of: action.call)
                let provider = call.flatMap { providers[$0.provider] }
                guard let provider, provider.owner != owner, call?.emergency == false else { return nil }
                return "\(owner) acts on call \(action.call) of \(provider.owner)"
            }
        }
    }
}
