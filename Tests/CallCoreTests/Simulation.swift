// A course of events at random: providers of every temper, clients that want everything at once, and the clock.

import CallCore
import CallModel
import CallScenario

/// One episode. Every step is a line of a scenario file, so that a failure is one.
struct Simulation {
    enum Temper: CaseIterable { case obedient, slow, refusing, lying, dying }

    private var generator: SeededGenerator
    private(set) var play: Play
    private var tempers: [ProviderID: Temper] = [:]
    private var nextCall: UInt64 = 0
    private var isQuiet = false

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        play = Play()
        let names = ["Hotline", "Monkey", "Phone", "Sip"].prefix(generator.number(1...4))
        for name in names {
            guard let id = ProviderID(name) else { continue }
            tempers[id] = generator.oneIn(3) ? generator.pick(Temper.allCases, or: .obedient) : .obedient
            register(id)
        }
    }

    private var providers: [ProviderID] { tempers.keys.sorted { $0.rawValue < $1.rawValue } }

    mutating func step() {
        switch generator.number(0...99) {
        case 0..<32: request()
        case 32..<52: report()
        case 52..<80: answer()
        case 80..<94: play.run("advance \(pause())")
        case 94, 95: die()
        case 96: play.run(generator.flag() ? .ringingSilenced : .doNotDisturbSet(generator.oneIn(8)))
        case 97:
            if generator.oneIn(3), let provider = providers.randomElement(using: &generator) { reconfigure(provider) }
        case 98: nonsense()
        default: if generator.oneIn(40) { play.run("shut-down") }
        }
    }

    /// In ms; a long one is rare.
    private mutating func pause() -> Int {
        generator.oneIn(12)
            ? generator.pick([5_000, 6_000, 61_000], or: 1) : generator.pick([0, 1, 50, 200, 900, 1_000], or: 1)
    }

    // MARK: Providers

    private mutating func configuration() -> ProviderConfiguration {
        var configuration = ProviderConfiguration()
        configuration.supportedHandleTypes = generator.flag() ? [.phoneNumber] : [.generic, .phoneNumber]
        configuration.maximumCallGroups = UInt32(generator.pick([2, 2, 2, 3, 3, 5, 1, 0], or: 2))
        configuration.maximumCallsPerCallGroup = UInt32(generator.pick([5, 5, 2, 1], or: 5))
        return configuration
    }

    private mutating func register(_ id: ProviderID) { play.run(Input.providerRegistered(id, configuration())) }
    private mutating func reconfigure(_ id: ProviderID) { play.run(Input.providerReconfigured(id, configuration())) }

    private mutating func die() {
        guard let id = providers.randomElement(using: &generator) else { return }
        if play.machine.providers[id]?.isReady != true || generator.oneIn(30) { return register(id) }
        guard tempers[id] == .dying || generator.oneIn(6) else { return }
        play.run(generator.oneIn(4) ? Input.providerRemoved(id) : Input.providerLost(id))
    }

    /// A provider answers what it owes, in its own way.
    private mutating func answer() {
        if let id = play.releasing.randomElement(using: &generator), generator.oneIn(3) {
            return play.run(Input.audioReleased(id))
        }
        guard let action = play.owed.randomElement(using: &generator) else { return }
        let date: UInt64 = generator.oneIn(10) ? play.date &- UInt64(generator.number(0...2_000_000)) : 0
        let fulfilled = Input.actionFulfilled(action.id, date: date)
        switch tempers[action.provider] ?? .obedient {
        case .obedient: play.run(fulfilled)
        case .slow: if generator.oneIn(5) { play.run(fulfilled) }
        case .refusing: play.run(generator.flag() ? fulfilled : .actionFailed(action.id))
        case .lying:
            play.run(fulfilled)
            let other = ActionID(UInt64(generator.number(1...Int(action.id.number))))
            play.run(generator.flag() ? .actionFulfilled(other, date: .max) : .actionFailed(other))
        case .dying: play.run(generator.oneIn(12) ? .providerLost(action.provider) : fulfilled)
        }
    }

    private mutating func report() {
        guard let provider = providers.randomElement(using: &generator) else { return }
        if let dialing = play.live.first(where: { $0.state == .started || $0.state == .connecting }), generator.oneIn(2)
        {
            return report(.connected(dialing.id, at: 0), by: dialing.provider)
        }
        let own = play.live.filter { $0.provider == provider }
        let call = generator.oneIn(30) ? someCall() : own.randomElement(using: &generator)?.id
        // Many calls at once are rare: they cost much and show little.
        guard let call, !generator.oneIn(play.live.count < 8 ? 3 : 40) else {
            var update = generator.oneIn(5) ? sensible(generator.update()) : CallUpdate()
            update.emergency = generator.oneIn(60) ? true : nil
            return report(.incoming(freshCall(), update), by: provider)
        }
        switch generator.number(0...9) {
        case 0, 1: report(.startedConnecting(call, at: 0), by: provider)
        case 2, 3, 4: report(.connected(call, at: generator.oneIn(6) ? .max : 0), by: provider)
        case 5, 6:
            report(
                .ended(call, at: generator.oneIn(4) ? 1 : 0, generator.pick(EndReason.allCases, or: .failed)),
                by: provider)
        case 7: report(.updated(call, sensible(generator.update())), by: provider)
        default:
            var update = CallUpdate()
            update.onHold = generator.flag()
            report(.updated(call, update), by: provider)
        }
    }

    private mutating func report(_ report: Report, by provider: ProviderID) {
        play.run(Input.reported(report, by: provider, reply: play.nextReply))
    }

    private mutating func sensible(_ update: CallUpdate) -> CallUpdate {
        var update = update
        update.remoteHandle = nil
        update.localizedCallerName = nil
        update.emergency = nil
        if !generator.oneIn(3) {
            update.supportsHolding = true
            update.supportsGrouping = true
            update.canHoldNow = nil
            update.onHold = nil
        }
        return update
    }

    // MARK: Clients

    private mutating func freshCall() -> CallID {
        if generator.oneIn(40), nextCall > 0 { return CallID(high: 0, low: generator.next() % nextCall) }
        nextCall += 1
        return CallID(high: 0, low: nextCall - 1)
    }

    private mutating func someCall() -> CallID {
        let live = play.live
        if !live.isEmpty, !generator.oneIn(20) { return generator.pick(live.map(\.id), or: live[0].id) }
        return CallID(high: 0, low: generator.next() % max(nextCall, 1))
    }

    private mutating func action() -> CallAction {
        let call = someCall()
        let ringing = some(in: [.ringing])
        let talking = some(in: [.active, .held])
        switch generator.number(0...19) {
        case 0...3:
            let number = generator.oneIn(25) ? "112" : "100"
            let handle = (try? Handle(type: .phoneNumber, value: number)) ?? SeededGenerator.plainHandle
            let provider = generator.flag() ? nil : providers.randomElement(using: &generator)
            return .start(freshCall(), handle: handle, provider: provider, video: false, contact: "")
        case 4...8: return .answer(ringing ?? call)
        case 9...10: return .end(call, reason: "")
        case 11, 12: return .setHeld(some(in: [.active]) ?? call, true)
        case 13, 14: return .setHeld(some(in: [.held]) ?? call, false)
        case 15: return .setMuted(talking ?? call, generator.flag())
        case 16: return .playDTMF(some(in: [.active]) ?? call, digits: "1", tone: .singleTone)
        default: return .setGroup(talking ?? call, with: generator.oneIn(5) ? nil : partner(of: talking) ?? call)
        }
    }

    /// Another call of the same provider.
    private mutating func partner(of id: CallID?) -> CallID? {
        guard let id, let call = play.machine.calls[id] else { return nil }
        return play.live.filter { $0.provider == call.provider && $0.id != id && $0.hasConnected }
            .randomElement(using: &generator)?.id
    }

    private mutating func some(in states: Set<CallState>) -> CallID? {
        play.live.filter { states.contains($0.state) }.randomElement(using: &generator)?.id
    }

    mutating func randomRequest() -> Request {
        let count = generator.oneIn(60) ? 0 : generator.pick([1, 1, 1, 1, 1, 1, 2, 3], or: 1)
        let requester =
            generator.oneIn(8)
            ? providers.randomElement(using: &generator).map { Requester.provider($0) } ?? .client(":1.1")
            : Requester.client(":1.\(generator.number(1...3))")
        var request = Request((0..<count).map { _ in action() }, by: requester)
        if generator.oneIn(4) { request.conflict = generator.pick(ConflictPolicy.allCases, or: .hold) }
        if generator.oneIn(6) { request.replyMode = .accepted }
        if generator.oneIn(6) { request.timeout = UInt32(generator.number(0...9_000)) }
        return request
    }

    private mutating func request() {
        play.run(Input.requested(randomRequest(), reply: play.nextReply))
    }

    /// Inputs that no shell would send.
    private mutating func nonsense() {
        var input = generator.input()
        switch input {
        case .reported(let report, let provider, _): input = .reported(report, by: provider, reply: play.nextReply)
        case .requested(let request, _): input = .requested(request, reply: play.nextReply)
        case .shutdownRequested, .providerRegistered, .providerLost, .providerRemoved, .doNotDisturbSet: return
        default: break
        }
        play.run(input)
    }

    // MARK: Liveness

    /// Faults stop: whoever is there obeys, and the clock runs. Then nobody waits any more, and every call can be ended.
    mutating func comeToRest() { play.comeToRest() }
}
