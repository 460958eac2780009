// What happens to calls before they ring: callers are looked up, calls screened, Do Not Disturb comes and goes.

import CallCore
import CallModel
import CallScenario

extension Simulation {
    /// Somebody knows callers, somebody screens calls, or both.
    mutating func beginFiltering() {
        if generator.flag() { runner.run(generator.oneIn(3) ? .lookUpExpected : .lookUpAvailable(true)) }
        for _ in 1...3 where generator.oneIn(3) { registerScreener() }
    }

    mutating func filter() {
        switch generator.number(0...39) {
        case 0..<14: if let id = runner.shell.lookUps.randomElement(using: &generator) { lookedUp(id) }
        case 14..<28:
            guard let asked = runner.shell.screenings.randomElement(using: &generator) else { return }
            runner.run(.screened(asked.call, by: asked.screener, generator.verdict()))
        case 28, 29: runner.run(.doNotDisturbSet(generator.flag()))
        case 30, 31: runner.run(.doNotDisturbRulesSet(exceptions()))
        case 32: runner.run(.lookUpAvailable(!generator.oneIn(4)))
        case 33, 34: if runner.machine.activeScreeners.count < 3 { registerScreener() }
        case 35: runner.run(.screenerLost(someScreener()))
        case 36: runner.run("advance \(generator.pick([100, 300, 1_000, 180_000], or: 1))")
        default: report(.incoming(freshCall(), knownCaller()), by: someProvider())
        }
    }

    private mutating func registerScreener() {
        latestScreener += 1
        runner.run(.screenerRegistered(ScreenerID(latestScreener)))
    }

    /// Mostly one that is there.
    mutating func someScreener() -> ScreenerID {
        let number = UInt64(generator.number(1...Int(latestScreener) + 1))
        return generator.pick(runner.machine.activeScreeners, or: ScreenerID(number))
    }

    mutating func lookedUp(_ id: CallID) {
        var caller = generator.caller()
        caller.normalized = nil
        runner.run(.lookedUp(id, caller))
    }

    /// One of few, so that callers call again.
    private mutating func knownCaller() -> CallUpdate {
        var update = CallUpdate()
        update.remoteHandle = try? Handle(type: .phoneNumber, value: "\(generator.number(1...3))")
        return update
    }

    private mutating func exceptions() -> DoNotDisturbRules {
        var rules = DoNotDisturbRules()
        rules.allowsFavorites = generator.flag()
        rules.allowsRepeated = generator.flag()
        if generator.oneIn(4) { rules.allowedProviders = [someProvider()] }
        return rules
    }
}
