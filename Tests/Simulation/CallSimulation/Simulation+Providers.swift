// What providers do: declare, answer in their own way, report, die.

import CallCore
import CallModel
import CallScenario

extension Simulation {
    mutating func configuration() -> ProviderConfiguration {
        var configuration = ProviderConfiguration()
        configuration.supportedHandleTypes = generator.flag() ? [.phoneNumber] : [.generic, .phoneNumber]
        configuration.maximumCallGroups = UInt32(generator.pick([2, 2, 2, 3, 3, 5, 1, 0], or: 2))
        if mood == .crowd { configuration.maximumCallGroups = 20 }
        configuration.maximumCallsPerCallGroup = UInt32(generator.pick([5, 5, 2, 1], or: 5))
        // Some reach the emergency services, each with its own numbers; others do not.
        let numbers = mood == .emergencies && !generator.oneIn(6) ? [["112"]] : [["112"], ["333"], ["112", "333"], []]
        configuration.emergencyNumbers = generator.pick(numbers, or: [])
        configuration.supportsAudioTranslation = generator.flag()
        configuration.supportsTransfer = generator.flag()
        if generator.oneIn(5) { configuration.holdModel = .swap }
        if generator.oneIn(12) {
            configuration.availability = generator.pick(Availability.allCases, or: .online)
        }
        return configuration
    }

    mutating func reconfigure() {
        let id = someProvider()
        guard runner.machine.providers[id] != nil else { return }
        runner.run(.providerReconfigured(id, configuration()))
    }

    /// A provider registers, again or anew; dies, is restarted, or leaves.
    mutating func comeOrGo() {
        let id = someProvider()
        if runner.machine.providers[id]?.isReady != true || generator.oneIn(20) {
            return runner.run(
                .providerRegistered(id, configuration(), isPackaged: !generator.oneIn(4), owner: owner(of: id)))
        }
        guard tempers[id] == .dying || generator.oneIn(5) else { return }
        runner.run(
            generator.oneIn(4) ? .providerRemoved(id) : generator.oneIn(3) ? .providerRestarted(id) : .providerLost(id))
    }

    /// The bus goes, and everyone on it at the same moment; clients come back under other names, nobody tells the core.
    mutating func loseTheBus() {
        for id in providers where onBus.contains(id) && runner.machine.providers[id]?.isReady == true {
            runner.run(.providerLost(id))
        }
    }

    mutating func answer() {
        if let id = runner.releasing.randomElement(using: &generator), generator.oneIn(3) {
            return runner.run(.audioReleased(id))
        }
        guard let action = runner.owed.randomElement(using: &generator) else { return }
        answer(action)
    }

    /// A provider answers what it owes, in its own way.
    mutating func answer(_ action: PerformedAction) {
        let date = generator.oneIn(10) ? earlier(2_000_000) : 0
        let isOwn = action.action.kind == .setTranslating && generator.flag()
        let fulfilled = Input.actionFulfilled(action.id, date: date, engine: isOwn ? .custom : .default)
        switch tempers[action.provider] ?? .obedient {
        case .obedient: runner.run(fulfilled)
        case .slow: if generator.oneIn(5) { runner.run(fulfilled) }
        case .refusing: runner.run(generator.flag() ? fulfilled : .actionFailed(action.id))
        case .lying:
            runner.run(fulfilled)
            let other = ActionID(UInt64(generator.number(1...Int(action.id.number))))
            runner.run(generator.flag() ? .actionFulfilled(other, date: .max) : .actionFailed(other))
        case .dying: runner.run(generator.oneIn(12) ? .providerLost(action.provider) : fulfilled)
        }
    }

    mutating func report() {
        let provider = someProvider()
        let live = runner.live
        if let dialing = live.first(where: { $0.state == .started || $0.state == .connecting }), generator.flag() {
            return report(.connected(dialing.id, at: 0), by: dialing.provider)
        }
        let own = live.filter { $0.provider == provider }
        let call = generator.oneIn(30) ? someCall() : own.randomElement(using: &generator)?.id
        // Many calls at once are rare: they cost much and show little.
        let usual = mood == .crowd ? 18 : 6
        let isFull = live.count >= usual + 2
        guard let call, !generator.oneIn(isFull ? 60 : live.count < usual ? 3 : 20) else {
            if generator.oneIn(8) { return report(.ongoing(freshCall(), ongoing(), incoming()), by: provider) }
            return report(.incoming(freshCall(), incoming()), by: provider)
        }
        switch generator.number(0...9) {
        case 0: report(.startedConnecting(call, at: 0), by: provider)
        case 1, 2: report(.connected(call, at: generator.oneIn(6) ? .max : 0), by: provider)
        case 3, 4:
            let reason = generator.oneIn(3) ? generator.pick(EndReason.allCases, or: .failed) : .remoteEnded
            report(.ended(call, at: generator.oneIn(4) ? 1 : 0, reason), by: provider)
        case 5, 6: report(.updated(call, sensible(generator.update())), by: provider)
        default:
            var update = CallUpdate()
            if generator.oneIn(3) { update.canHoldNow = generator.flag() } else { update.onHold = generator.flag() }
            report(.updated(call, update), by: provider)
        }
    }

    mutating func report(_ report: Report, by provider: ProviderID) {
        runner.run(.reported(report, by: provider, reply: runner.nextReply))
    }

    /// A date at most so many µs ago.
    private mutating func earlier(_ most: Int) -> WallTime {
        WallTime(microseconds: runner.shell.now.date.microseconds - UInt64(generator.number(0...most)))
    }

    private mutating func ongoing() -> OngoingCall {
        let since = generator.flag() ? 0 : earlier(9_000_000)
        return OngoingCall(
            generator.pick(CallDirection.allCases, or: .incoming), generator.oneIn(3) ? .held : .active, since: since)
    }

    private mutating func incoming() -> CallUpdate {
        var update = generator.oneIn(4) ? sensible(generator.update()) : CallUpdate()
        update.onHold = nil
        update.progress = nil
        update.emergency = generator.oneIn(mood == .emergencies ? 8 : 60) ? true : nil
        return update
    }

    private mutating func sensible(_ update: CallUpdate) -> CallUpdate {
        var update = update
        update.remoteHandle = generator.oneIn(6) ? update.remoteHandle : nil
        update.localizedCallerName = generator.oneIn(6) ? update.localizedCallerName : nil
        update.emergency = generator.oneIn(20) ? update.emergency : nil
        if !generator.oneIn(3) {
            update.supportsHolding = true
            update.supportsGrouping = true
            update.canHoldNow = nil
            update.onHold = nil
        }
        return update
    }
}
