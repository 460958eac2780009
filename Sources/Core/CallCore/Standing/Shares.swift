// Shares: how much of each thing one client or one plugin may have, so that none uses up all.

import CallModel

extension Standing {
    /// Whose share a request counts towards.
    func owner(of request: Request) -> Owner {
        switch request.requester {
        case .client(let name): request.owner ?? .client(name)
        case .provider(let id): providers[id]?.owner ?? .plugin(id.rawValue)
        }
    }

    /// Refuses a request beyond its client's share, unless it starts an emergency call or ends calls.
    func checkShare(of request: Request) throws(CallError) {
        guard !isFree(request) else { return }
        let owner = owner(of: request)
        let counted = countedOwners
        try Self.refuse("\(owner)", "transactions", counted.count { $0 == owner }, limits.transactionsPerOwner)
        // There is always room for plugins.
        guard !owner.isPlugin else { return }
        try Self.refuse("all clients", "transactions", counted.count { !$0.isPlugin }, limits.waitingTransactions)
    }

    /// Whether a request is never refused for want of room or time.
    func isFree(_ request: Request) -> Bool {
        request.actions.allSatisfy { $0.kind == .end } || request.actions.contains { isEmergency($0) }
    }

    /// The owners of the transactions that count, one for each.
    private var countedOwners: [Owner] {
        work.transactions.compactMap { transaction in
            transaction.actions.allSatisfy { $0.kind == .end } ? nil : transaction.owner
        }
    }

    /// - Parameter waiting: the calls that wait to ring.
    /// - Throws: `LimitsExceeded` if there is no room for another call of this provider.
    func checkRoom(for provider: Provider, besides waiting: [WaitingCall] = []) throws(CallError) {
        let owners = (calls.standings.map(\.provider) + waiting.map(\.provider)).compactMap { providers[$0]?.owner }
        let owner = provider.owner
        try Self.refuse("\(owner)", "calls", owners.count { $0 == owner }, limits.calls(of: owner))
        // Apps do not take the room of plugins.
        let kind = owner.isPlugin ? "all plugins" : "all apps"
        try Self.refuse(kind, "calls", owners.count { $0.isPlugin == owner.isPlugin }, limits.calls)
    }

    /// - Throws: `LimitsExceeded` if the owner has started too many calls that have not ended, or too many in a short time.
    func checkStarts(by owner: Owner?) throws(CallError) {
        guard let owner else { return }
        try checkNewCalls(of: owner)
        let started = calls.standings.count { $0.startedBy == owner }
        try Self.refuse("\(owner)", "calls that it started", started, limits.startsPerOwner)
    }

    /// - Throws: `LimitsExceeded` if the owner has begun too many calls lately.
    func checkNewCalls(of owner: Owner) throws(CallError) {
        try rates.checkNewCalls(of: owner, limits.newCalls(of: owner), at: now)
    }

    private static func refuse(_ who: String, _ what: String, _ count: Int, _ limit: Int) throws(CallError) {
        guard count >= limit else { return }
        let verb = who.hasPrefix("all ") || who.hasPrefix("the ") ? "have" : "has"
        throw CallError(.limitsExceeded, "\(who) \(verb) \(count) \(what), expected at most \(limit)")
    }

    /// The shares that are exceeded, each as a sentence.
    func shareViolations(_ live: [Call]) -> [String] {
        var found: [String] = []
        func expect(_ owner: Owner, _ what: String, _ count: Int, _ limit: Int) {
            if count > limit { found.append("\(owner) has \(count) \(what), the limit is \(limit)") }
        }
        for (owner, transactions) in Dictionary(grouping: countedOwners, by: { $0 }) {
            // A request with an emergency call is never refused.
            let urgent = work.transactions.count {
                $0.actions.contains { isEmergency($0) || calls[$0.call]?.emergency == true }
            }
            expect(owner, "transactions", transactions.count - urgent, limits.transactionsPerOwner)
        }
        let ordinary = live.filter { !$0.emergency }
        for (owner, calls) in Dictionary(grouping: ordinary, by: { providers[$0.provider]?.owner }) {
            guard let owner else { continue }
            expect(owner, "calls", calls.count, limits.calls(of: owner))
        }
        for isPlugin in [true, false] {
            let count = ordinary.count { providers[$0.provider]?.owner.isPlugin == isPlugin }
            if count > limits.calls { found.append("\(count) live calls, the limit is \(limits.calls)") }
        }
        for (owner, calls) in Dictionary(grouping: ordinary, by: \.startedBy) {
            if let owner { expect(owner, "calls that it started", calls.count, limits.startsPerOwner) }
        }
        return found + rates.violations(at: now)
    }

    /// The calls with the line that are about to give it up, and the emergency calls to which others are about to.
    var callsBeingAdopted: Set<CallID> {
        Set(work.transactions.compactMap { $0.origin == .adoption ? $0.actions.first?.call : nil })
    }
}

extension Limits {
    func calls(of owner: Owner) -> Int { owner.isModest ? callsPerClient : callsPerPlugin }

    /// In a second.
    func newCalls(of owner: Owner) -> Int { owner.isModest ? newCallsPerClient : newCallsPerPlugin }
}
