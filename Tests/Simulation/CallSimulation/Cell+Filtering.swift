// The cells of calls that wait to ring.

import CallCore
import CallModel

extension Cell {
    static func lookedUp(_ id: CallID, _ caller: CallerFacts, _ machine: CallMachine, _ event: Event) -> Cell {
        guard let call = machine.waiting.first(where: { $0.id == id }), machine.awaitedVerdicts(on: id) == nil else {
            return Cell(event, [.unknown])
        }
        return Cell(event, filter(caller, call.update, call.provider, machine))
    }

    /// What becomes of a call whose caller is known, if there is room for it.
    static func filter(
        _ caller: CallerFacts, _ update: CallUpdate, _ provider: ProviderID, _ machine: CallMachine
    ) -> [Fact] {
        if caller.isAllowed { return [.allowed] }
        if caller.blockedBy != nil { return [.blocked] }
        let rest: [Fact] = machine.activeScreeners.isEmpty ? [.rings] : [.screeners]
        guard machine.doNotDisturb else { return rest }
        let rules = machine.doNotDisturbRules
        if rules.allowedProviders.contains(provider) { return [.disturbed, .allowedProvider] + rest }
        if rules.allowsFavorites, caller.isFavorite { return [.disturbed, .favorite] + rest }
        let handle = caller.normalized ?? update.remoteHandle
        if rules.allowsRepeated, machine.wasTurnedAway(handle, at: machine.latest) {
            return [.disturbed, .repeated] + rest
        }
        return caller.isUnanswered ? [.disturbed, .unanswered] + rest : [.disturbed]
    }

    static func screened(_ id: CallID, _ screener: ScreenerID, _ verdict: Fact, _ machine: CallMachine) -> Cell {
        guard let awaited = machine.awaitedVerdicts(on: id), awaited.contains(screener) else {
            return Cell(.screened, [.unknown])
        }
        return Cell(.screened, [verdict, awaited.count == 1 ? .last : .notLast])
    }

    static func screenOver(_ id: CallID, _ machine: CallMachine) -> Cell {
        Cell(.screenOver, [machine.awaitedVerdicts(on: id) == nil ? .unknown : .asked])
    }

    static func screenerGoes(_ id: ScreenerID, _ machine: CallMachine) -> [Cell] {
        guard machine.activeScreeners.contains(id) else { return [Cell(.screenerGoes, [.unknown])] }
        let awaited = machine.waiting.compactMap { machine.awaitedVerdicts(on: $0.id) }.filter { $0.contains(id) }
        guard !awaited.isEmpty else { return [Cell(.screenerGoes, [.notAsked])] }
        return awaited.map { Cell(.screenerGoes, [.asked, $0.count == 1 ? .last : .notLast]) }
    }

    static func lookUpComes(_ value: Bool, _ machine: CallMachine) -> Cell {
        let isAwaited = machine.waiting.contains { machine.awaitedVerdicts(on: $0.id) == nil }
        return Cell(.lookUpComes, [value ? .on : .off] + (isAwaited ? [.waitsToRing] : []))
    }

    static var allOfFiltering: [Cell] {
        func cells(_ event: Event, _ facts: [[Fact]]) -> [Cell] { facts.map { Cell(event, $0) } }
        let exceptions: [Fact] = [.allowedProvider, .favorite, .repeated, .unanswered]
        let known = product([.unknown, .allowed, .blocked, .rings, .screeners, .disturbed])
        let excepted = product([.disturbed], exceptions, [.rings, .screeners])
        var all = cells(.doNotDisturbRules, product([.on, .off]))
        all += cells(.lookUpComes, product([.on, .off, .expected]) + product([.on, .off], [.waitsToRing]))
        all += cells(.lookedUp, known + excepted)
        all += cells(.lookUpOver, product([.unknown, .rings, .screeners]))
        all += cells(
            .lookUpOver, product([.disturbed], [.allowedProvider, .repeated, .unanswered], [.rings, .screeners]))
        all += cells(.screenerComes, product([.new, .known]))
        all += cells(.screenerGoes, product([.unknown, .notAsked]) + product([.asked], [.last, .notLast]))
        all += cells(.screened, product([.unknown]))
        all += cells(.screened, product([.allow, .silence, .reject, .nonsense], [.last, .notLast]))
        return all + cells(.screenOver, product([.unknown, .asked]))
    }
}
