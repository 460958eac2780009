// Calls, actions and events in any order: each action is answered once, and no call is spoken of when it is over.

import OpenCallKit
import Testing

@testable import SIPCalls

/// Numbers that follow from a seed (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// A system and an engine that do what they like.
private struct World {
    var table = SIPCallTable(account: 3, home: SIPServer("example.org").map { SIPHome(domain: $0) })
    var random: Seeded
    /// The calls that the system has had, and whether they are over.
    var calls: [UUID: Bool] = [:]
    /// The same, in the order in which they began.
    var order: [UUID] = []
    /// The calls that the engine has.
    var numbers: Set<UInt64> = []
    var tokens: [(call: UInt64, token: UInt64)] = []
    var open: [UUID] = []
    var answered: Set<UUID> = []
    var problems: [String] = []

    mutating func step() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: start()
        case 1: comeIn()
        case 2...5: act()
        case 6: withdraw()
        default: tell()
        }
    }

    mutating func start() {
        guard numbers.count < 6 else { return }
        let (uuid, action) = (UUID(), UUID())
        calls[uuid] = false
        order.append(uuid)
        open.append(action)
        apply(.action(action, call: uuid, .start(CXHandle(type: .generic, value: "bob"))))
    }

    mutating func comeIn() {
        guard numbers.count < 6 else { return }
        let number = UInt64.random(in: (1 << 63)...(1 << 63 + 1_000_000), using: &random)
        guard numbers.insert(number).inserted else { return }
        let uuid = UUID()
        calls[uuid] = false
        order.append(uuid)
        apply(.event(.incoming(SIPCaller("sip:carol@a.org")), of: number, uuid: uuid))
        if Bool.random(using: &random) { apply(.admitted(uuid)) } else { apply(.refused(uuid, 486)) }
    }

    mutating func act() {
        guard let call = anyCall(), let other = anyCall() else { return }
        let carol = CXHandle(type: .generic, value: "sip:carol@a.org")
        let actions: [SIPAction] = [
            .answer, .end, .hold(true), .hold(false), .mute(true), .digits("1"), .digits("1,2"), .join(other), .leave,
            .transfer(carol), .transferTo(other), .answerTransfer(carol), .answerTransfer(nil),
        ]
        let action = UUID()
        open.append(action)
        let what = actions.randomElement(using: &random) ?? .leave
        if what == .end { calls[call] = true }
        apply(.action(action, call: call, what))
    }

    mutating func withdraw() {
        guard let action = open.randomElement(using: &random) else { return }
        open.removeAll { $0 == action }
        apply(.withdrawn(action))
    }

    mutating func tell() {
        guard let number = numbers.sorted().randomElement(using: &random) else { return }
        let failure: SIPFailure? = Bool.random(using: &random) ? nil : .timeout
        var events: [SIPCallEvent] = [
            .progress(code: 180, hasMedia: false), .connected, .connected,
            .transferRequested(target: "sip:carol@a.org"),
            .replaced(SIPCaller("sip:dave@a.org")), .identified(SIPCaller("sip:erin@a.org")),
            .ended(code: 0, failure: failure, reason: ""),
        ]
        let mine = tokens.filter { $0.call == number }
        events += mine.map { .done(token: $0.token, code: 0, failure: failure) }
        guard let event = events.randomElement(using: &random) else { return }
        if case .done(let token, _, _) = event { tokens.removeAll { $0 == (number, token) } }
        if case .ended = event {
            numbers.remove(number)
            tokens.removeAll { $0.call == number }
        }
        apply(.event(event, of: number, uuid: UUID()))
    }

    private mutating func anyCall() -> UUID? {
        order.suffix(8).randomElement(using: &random)
    }

    mutating func apply(_ input: SIPCallTable.Input) {
        for effect in table.apply(input) {
            switch effect {
            case .command(let command): obey(command)
            case .report(let call, let report): note(call, report)
            case .fulfil(let action), .fail(let action, _):
                if !answered.insert(action).inserted { problems.append("answered twice: \(effect)") }
                open.removeAll { $0 == action }
            }
        }
    }

    private mutating func note(_ call: UUID, _ report: SIPReport) {
        guard let isOver = calls[call] else { return problems.append("unknown call: \(report)") }
        if isOver { problems.append("reported after the end: \(report)") }
        if case .ended = report { calls[call] = true }
    }

    private mutating func obey(_ command: SIPCommand) {
        switch command {
        case .start(let call, _, _): numbers.insert(call)
        case .answer(let call, let token), .hold(let call, _, let token), .digits(let call, _, let token),
            .transfer(let call, _, let token), .transferTo(let call, _, let token),
            .answerTransfer(let call, _, let token):
            if !numbers.contains(call) { problems.append("no such call: \(command)") }
            if token > 0 { tokens.append((call, token)) }
        case .ring(let call), .end(let call, _), .mute(let call, _), .group(let call, _),
            .takeTransfer(let call, _, _), .refuseTransfer(let call, _):
            if !numbers.contains(call) { problems.append("no such call: \(command)") }
        }
    }
}

@Suite struct SimulationTests {
    @Test(arguments: 0..<40) func eachActionIsAnsweredOnce(_ seed: Int) {
        var world = World(random: Seeded(state: UInt64(seed)))
        for _ in 0..<500 { world.step() }
        for number in world.numbers.sorted() {
            world.numbers.remove(number)
            world.apply(.event(.ended(code: 0, failure: nil, reason: ""), of: number, uuid: UUID()))
        }
        #expect(world.problems.isEmpty)
        #expect(world.open.isEmpty, "actions without an answer")
        #expect(world.table.isEmpty && world.table.parts.isEmpty && world.table.before.isEmpty)
    }
}
