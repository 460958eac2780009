// Inputs at random: providers of every temper, clients that want everything at once, and the clock.

import CallCore
import CallModel
package import CallScenario

/// One simulation. Every step is a line of a scenario file, so that a failure is a scenario.
package struct Simulation {
    enum Temper: CaseIterable { case obedient, slow, refusing, lying, dying }

    /// What a simulation is mostly about.
    enum Mood: CaseIterable { case everything, waiting, crowd, groups, emergencies, calm, races }

    var generator: SeededGenerator
    package internal(set) var runner: MoveRunner
    var tempers: [ProviderID: Temper] = [:]
    /// Which providers hang on the bus, and go when it goes.
    var onBus: Set<ProviderID> = []
    let providers: [ProviderID]
    let mood: Mood
    let settling: MoveRunner.Settling
    var nextCall: UInt64 = 0
    var latestScreener: UInt64 = 0
    var latestAudioAgent: UInt64 = 0
    /// Whether there are audio agents.
    let hasAudioAgents: Bool
    /// Whether calls may have to wait before they ring.
    let filters: Bool

    static let clients = (1...4).map { ":1.\($0)" }
    static let names = ["Hotline", "Monkey", "Phone", "Sip", "Talk", "Wire"].compactMap { ProviderID($0) }

    package init(seed: UInt64, fault: ScenarioShell.Fault? = nil, watch: ScenarioRunner.Watch? = nil) {
        generator = SeededGenerator(seed: seed)
        filters = seed % 4 == 0
        hasAudioAgents = seed % 3 == 0
        let policy = generator.flag() ? Policy.desktop : generator.pick([.ios, .android], or: .ios)
        runner = MoveRunner(policy, fault: fault)
        runner.watch = watch
        // Many cells are about groups, and take long to reach.
        mood = generator.pick(Mood.allCases + [.groups, .groups], or: .everything)
        settling = generator.pick(MoveRunner.Settling.allCases, or: .obedience)
        providers = Array(Self.names.prefix(generator.pick([1, 2, 2, 2, 3, 4, 6], or: 2)))
        let wayward = mood == .calm ? 12 : 3
        for id in providers {
            tempers[id] = generator.oneIn(wayward) ? generator.pick(Temper.allCases, or: .obedient) : .obedient
            if generator.flag() { onBus.insert(id) }
            runner.run(.providerRegistered(id, configuration(), isPackaged: !generator.oneIn(4), owner: owner(of: id)))
        }
        if filters { beginFiltering() }
    }

    /// Makes so many steps, then lets everything settle.
    package mutating func run(_ count: Int = 300) {
        for _ in 0..<count where runner.failure == nil { step() }
        runner.settle(settling)
    }

    package mutating func step() {
        if filters, generator.oneIn(3) { return filter() }
        if hasAudioAgents, generator.oneIn(12) { return beAudioAgent() }
        switch generator.number(0...199) {
        case 0..<60: request()
        case 60..<100: report()
        case 100..<158: answer()
        case 158..<178: runner.run("advance \(pause())")
        case 178..<186: if mood == .races || generator.oneIn(3) { race() } else { answer() }
        case 186..<189: comeOrGo()
        case 189..<192: runner.run(generator.flag() ? .ringingSilenced : .doNotDisturbSet(generator.oneIn(8)))
        case 192: if generator.oneIn(2) { reconfigure() }
        case 193:
            if generator.oneIn(8) { runner.run(.providersKnown([someProvider(), someProvider()])) }
            if generator.oneIn(4) { runner.run(.defaultProvidersSet(["tel": someProvider()])) }
            if generator.oneIn(mood == .emergencies ? 2 : 6) {
                runner.run(.emergencyProvidersSet(generator.oneIn(3) ? [] : [someProvider()]))
            }
        case 194, 195: nonsense()
        case 196: if generator.oneIn(6) { loseTheBus() }
        case 197: if generator.oneIn(40) { runner.run(.shutdownRequested) }
        default: runner.run("fulfil-all")
        }
    }

    /// In ms; a long one is rare.
    private mutating func pause() -> Int {
        let isLong = generator.oneIn(12)
        return isLong
            ? generator.pick([5_000, 6_000, 61_000], or: 1)
            : generator.pick([0, 1, 50, 200, 900, 1_000, 2_000, 4_999], or: 1)
    }

    // MARK: Who and what

    /// Some are apps, and the first two of those are one app.
    func owner(of id: ProviderID) -> Owner? {
        guard mood == .crowd, onBus.contains(id) else { return nil }
        if providers.prefix(2).contains(id) { return .app("org.example.A") }
        return .process(UInt32(id.rawValue.utf8.count), since: 1)
    }

    mutating func someProvider() -> ProviderID { generator.pick(providers, or: Self.names[0]) }

    mutating func freshCall() -> CallID {
        if generator.oneIn(40), nextCall > 0 { return CallID(high: 0, low: generator.next() % nextCall) }
        nextCall += 1
        return CallID(high: 0, low: nextCall - 1)
    }

    mutating func someCall() -> CallID {
        let live = runner.live
        if !live.isEmpty, !generator.oneIn(20) { return generator.pick(live, or: live[0]).id }
        return CallID(high: 0, low: generator.next() % max(nextCall, 1))
    }

    mutating func some(_ condition: (Call) -> Bool) -> CallID? {
        runner.live.filter(condition).randomElement(using: &generator)?.id
    }
}
