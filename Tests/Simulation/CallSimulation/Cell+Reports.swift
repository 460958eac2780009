// The cells of what providers report.

import CallCore
import CallModel

extension Cell {
    static func of(_ report: Report, by provider: ProviderID, _ machine: CallMachine) -> Cell {
        guard let provider = machine.providers[provider], provider.isReady else {
            return Cell(report.event, [.gone])
        }
        if case .incoming(let id, let update) = report { return incoming(id, update, provider, machine) }
        if case .ongoing(let id, let ongoing, let update) = report {
            return self.ongoing(id, ongoing, update, provider, machine)
        }
        if machine.waiting.contains(where: { $0.id == report.call && $0.provider == provider.id }) {
            return Cell(report.event, [.waitsToRing])
        }
        guard let call = machine.calls[report.call], call.provider == provider.id else {
            return Cell(report.event, [.unknown])
        }
        let state = Fact(call.state)
        switch report {
        case .incoming, .ongoing: return Cell(report.event, [.unknown])
        case .ended(_, _, let reason, _):
            if call.state == .ended { return Cell(.ended, [state]) }
            if !reason.isReportable { return Cell(.ended, [.notReportable]) }
            return Cell(.ended, [state] + (gap(call, machine) ?? [reason == .failed ? .failed : .remote]))
        case .startedConnecting, .connected:
            return Cell(report.event, [call.direction == .incoming && call.state != .ended ? .incoming : state])
        case .updated(_, let update):
            guard update.onHold == false, call.state == .held else { return Cell(report.event, [state]) }
            if call.swaps { return exchange(call, machine) }
            if machine.ignoresResumes(of: provider.id) { return Cell(.networkResume, [.held, .ignored]) }
            let line = LineView(machine, for: Set(call.together(machine).map(\.id)), of: call.provider)
            if call.group != nil { return Cell(.networkResume, [state, .grouped, line.obstacle]) }
            return Cell(.networkResume, [state] + line.facts(.hold))
        }
    }

    /// A provider that can only exchange calls reports that it did.
    private static func exchange(_ call: Call, _ machine: CallMachine) -> Cell {
        let line = LineView(machine, for: Set(call.together(machine).map(\.id)), of: call.provider)
        if line.obstacle == .emergency { return Cell(.exchange, [.emergency]) }
        guard !line.obstacles.isEmpty else { return Cell(.exchange, [.nothing]) }
        let isExchanged = line.obstacles.allSatisfy {
            $0.provider == call.provider && ($0.state == .active || $0.state == .holding)
        }
        return Cell(.exchange, [isExchanged ? .exchanged : line.side])
    }

    private static func ongoing(
        _ id: CallID, _ ongoing: OngoingCall, _ update: CallUpdate, _ provider: Provider, _ machine: CallMachine
    ) -> Cell {
        if machine.isLeaving { return Cell(.ongoing, [.shuttingDown]) }
        if machine.knew(id) || machine.waiting.contains(where: { $0.id == id }) {
            return Cell(.ongoing, [.identifierTaken])
        }
        let line = LineView(machine, for: [], of: provider.id)
        if update.emergency ?? update.remoteHandle.map(provider.isEmergency) ?? false {
            let obstacle =
                machine.calls.live.contains {
                    $0.emergency && ![.ringing, .ending, .ended].contains($0.state)
                } ? .emergency : line.obstacle
            return Cell(.ongoing, [.isEmergency, obstacle])
        }
        if isFull(provider, machine) { return Cell(.ongoing, [.tooMany]) }
        if ongoing.state == .held { return Cell(.ongoing, [.held]) }
        guard line.obstacle != .nothing else { return Cell(.ongoing, [.active, .nothing]) }
        let isHoldable = update.supportsHolding != false && update.canHoldNow != false
        return Cell(.ongoing, [.active, line.obstacle, isHoldable ? .supported : .unsupported])
    }

    /// Whether there is no room for another call of the provider.
    private static func isFull(_ provider: Provider, _ machine: CallMachine) -> Bool {
        (try? machine.checkRoom(for: provider, besides: machine.waiting)) == nil
    }

    /// Who could fill the gap that a call leaves when somebody else than its user ends it, and what the policy says of it;
    /// nil where there is nobody or no gap.
    static func gap(_ call: Call, _ machine: CallMachine) -> [Fact]? {
        guard leavesGap.contains(Fact(call.state)), call.group == nil, let displaced = machine.displaced,
            displaced != call.id
        else { return nil }
        let rings = machine.calls.values.contains { $0.state == .ringing }
        let row: Fact = machine.policy.return == .anyEnd ? .returnsAny : .returnsLocal
        return [.somebodyHeld, row] + (rings ? [.anotherRings] : [])
    }

    static var gaps: [[Fact]] {
        let gaps = states.filter(leavesGap.contains)
        let rows: [Fact] = [.returnsLocal, .returnsAny]
        return product(gaps, [.somebodyHeld], rows) + product(gaps, [.somebodyHeld], rows, [.anotherRings])
    }

    private static func incoming(
        _ id: CallID, _ update: CallUpdate, _ provider: Provider, _ machine: CallMachine
    ) -> Cell {
        if machine.isLeaving { return Cell(.incoming, [.shuttingDown]) }
        if machine.knew(id) || machine.waiting.contains(where: { $0.id == id }) {
            return Cell(.incoming, [.identifierTaken])
        }
        let line = LineView(machine, for: [], of: provider.id)
        let isCrowd =
            line.live.count { $0.provider == provider.id && $0.state == .ringing }
            + machine.waiting.count { $0.provider == provider.id }
            >= machine.limits.ringingCallsPerProvider
        if update.emergency == true { return Cell(.emergencyIncoming, [line.obstacle]) }
        if line.obstacle == .emergency { return Cell(.incoming, [.emergency]) }
        if isCrowd || isFull(provider, machine) {
            return Cell(.incoming, [.tooMany])
        }
        if provider.configuration.maximumCallGroups == 0 { return Cell(.incoming, [.full]) }
        let row: Fact = machine.policy.secondRinging == .isRefused ? .secondRefused : .secondWaits
        let rings = line.live.contains { $0.state == .ringing }
        if !rings || row == .secondWaits {
            if machine.looksUp { return Cell(.incoming, [.looksUp]) }
            let nobody = machine.isLookUpMissing ? CallerFacts.unanswered : CallerFacts()
            let facts = filter(nobody, update, provider.id, machine)
            if facts != [.rings] { return Cell(.incoming, facts) }
        }
        guard rings else { return Cell(.incoming, [line.obstacle, .nobodyRings]) }
        return Cell(.incoming, [line.obstacle, .anotherRings, row])
    }

    static var allOfReports: [Cell] {
        func cells(_ event: Event, _ facts: [[Fact]]) -> [Cell] { facts.map { Cell(event, $0) } }
        let refusals: [Fact] = [.gone, .shuttingDown, .identifierTaken, .emergency, .tooMany, .full]
        let inTheWay = obstacles.filter { $0 != .emergency }
        let rest = states.filter { $0 != .ended }
        var all = cells(.incoming, product(refusals) + product(inTheWay, [.nobodyRings]))
        all += cells(.incoming, product(inTheWay, [.anotherRings], [.secondWaits, .secondRefused]))
        all += cells(.incoming, product([.looksUp, .disturbed, .screeners]))
        all += cells(
            .incoming, product([.disturbed], [.allowedProvider, .repeated, .unanswered], [.rings, .screeners]))
        all += cells(.emergencyIncoming, product(obstacles + [.gone]))
        all += cells(.ended, product([.gone, .unknown, .waitsToRing, .notReportable, .ended]))
        all += cells(.ended, product(rest, [.remote, .failed]) + gaps)
        let ofOutgoing = states.filter { $0 != .ringing && $0 != .answering }
        for event in [Event.connecting, .connected] {
            all += cells(event, product([.gone, .unknown, .waitsToRing, .incoming] + ofOutgoing))
        }
        for event in [Event.update, .networkHold] {
            all += cells(event, product([.gone, .unknown, .waitsToRing] + states))
        }
        all += cells(.networkResume, product([.gone, .unknown, .waitsToRing] + states.filter { $0 != .held }))
        all += cells(.networkResume, product([.held], [.ignored]))
        all += cells(.exchange, product([.nothing, .exchanged, .sameProvider, .otherProvider, .emergency]))
        all += cells(.ongoing, product([.gone, .shuttingDown, .identifierTaken, .tooMany, .held]))
        all += cells(.ongoing, product([.isEmergency], obstacles) + product([.active], [.nothing]))
        all += cells(.ongoing, product([.active], obstacles.filter { $0 != .nothing }, [.supported, .unsupported]))
        all += cells(.networkResume, line([.conflictHold]).map { [.held] + $0 })
        all += cells(.networkResume, product([.held], [.grouped], obstacles))
        return all
    }
}

extension Report {
    fileprivate var event: Cell.Event {
        switch self {
        case .incoming(_, let update): update.emergency == true ? .emergencyIncoming : .incoming
        case .updated(_, let update): update.onHold.map { $0 ? .networkHold : .networkResume } ?? .update
        case .ongoing: .ongoing
        case .ended: .ended
        case .startedConnecting: .connecting
        case .connected: .connected
        }
    }
}
