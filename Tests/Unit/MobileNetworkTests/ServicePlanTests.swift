// Which service of the network performs which actions, row by row, and what is refused.

import Testing

@testable import MobileNetwork

/// Calls by their states: `A` and `B` are active, `H` and `I` held, `W` waits, `R` rings alone, `D` is dialed.
private func calls(_ letters: String, conference: Bool = false) -> [MobileCall] {
    letters.map { letter in
        let phase: MobileCall.Phase =
            switch letter {
            case "A", "B": .active
            case "H", "I": .held
            case "W": .waiting
            case "R": .incoming
            default: .dialing
            }
        return MobileCall(
            id: String(letter), isOutgoing: letter == "D", phase: phase, number: "",
            isMultiparty: conference && "ABHI".contains(letter))
    }
}

/// A row: which calls there are, what is asked, and what is done.
struct PlanRow: Sendable, CustomTestStringConvertible {
    let name: String
    let letters: String
    let actions: [ModemAction]
    let works: [ServiceStep.Work]
    var conference = false

    var testDescription: String { name }
}

private let rows: [PlanRow] = [
    // The table: one service for each transaction.
    PlanRow(
        name: "hold and answer", letters: "AW", actions: [.hold("A"), .answer("W")], works: [.service(.exchange)]),
    PlanRow(
        name: "hold a conference and answer", letters: "ABW", actions: [.hold("A"), .hold("B"), .answer("W")],
        works: [.service(.exchange)], conference: true),
    PlanRow(
        name: "end and answer", letters: "AW", actions: [.end("A"), .answer("W")],
        works: [.service(.releaseAndAccept)]),
    PlanRow(
        name: "end a conference and answer", letters: "ABW", actions: [.end("A"), .end("B"), .answer("W")],
        works: [.service(.releaseAndAccept)], conference: true),
    PlanRow(
        name: "end and answer beside a held call", letters: "AHW", actions: [.end("A"), .answer("W")],
        works: [.service(.releaseAndAccept)]),
    PlanRow(
        name: "exchange", letters: "AH", actions: [.hold("A"), .resume("H")], works: [.service(.exchange)]),
    PlanRow(
        name: "exchange, asked in the other order", letters: "AH", actions: [.resume("H"), .hold("A")],
        works: [.service(.exchange)]),
    PlanRow(
        name: "exchange a conference", letters: "ABH", actions: [.hold("A"), .hold("B"), .resume("H")],
        works: [.service(.exchange)], conference: true),
    PlanRow(name: "hold the only call", letters: "A", actions: [.hold("A")], works: [.service(.exchange)]),
    PlanRow(
        name: "hold a conference", letters: "AB", actions: [.hold("A"), .hold("B")], works: [.service(.exchange)],
        conference: true),
    PlanRow(name: "resume the only call", letters: "H", actions: [.resume("H")], works: [.service(.exchange)]),
    PlanRow(
        name: "resume a conference", letters: "HI", actions: [.resume("H"), .resume("I")],
        works: [.service(.exchange)], conference: true),
    PlanRow(name: "answer the only call", letters: "R", actions: [.answer("R")], works: [.service(.accept("R"))]),
    PlanRow(
        name: "answer beside a held call", letters: "HW", actions: [.answer("W")], works: [.service(.exchange)]),
    PlanRow(name: "end one", letters: "AH", actions: [.end("A")], works: [.service(.hangUp("A"))]),
    PlanRow(name: "end the waiting one", letters: "AW", actions: [.end("W")], works: [.service(.hangUp("W"))]),
    PlanRow(
        name: "end two", letters: "AH", actions: [.end("A"), .end("H")],
        works: [.service(.hangUp("A")), .service(.hangUp("H"))]),
    PlanRow(name: "join", letters: "AH", actions: [.join("A", with: "H")], works: [.service(.join("H"))]),
    PlanRow(name: "join the other way", letters: "AH", actions: [.join("H", with: "A")], works: [.service(.join("H"))]),
    PlanRow(
        name: "leave", letters: "AB", actions: [.leave("A")], works: [.service(.leave("A"))], conference: true),
    PlanRow(
        name: "hold and dial", letters: "A", actions: [.hold("A"), .other], works: [.service(.exchange), .other]),
    PlanRow(
        name: "end and dial", letters: "A", actions: [.end("A"), .other], works: [.service(.hangUp("A")), .other]),
    // What is so already asks for nothing.
    PlanRow(name: "held already", letters: "H", actions: [.hold("H")], works: [.nothing]),
    PlanRow(name: "active already", letters: "A", actions: [.resume("A")], works: [.nothing]),
    PlanRow(
        name: "exchanged already", letters: "AH", actions: [.hold("H"), .resume("A")], works: [.nothing]),
    PlanRow(name: "answered already", letters: "A", actions: [.answer("A")], works: [.nothing]),
    PlanRow(
        name: "joined already", letters: "AB", actions: [.join("A", with: "B")], works: [.nothing], conference: true),
    PlanRow(name: "ended already", letters: "A", actions: [.end("X")], works: [.nothing]),
    PlanRow(name: "alone already", letters: "A", actions: [.leave("A")], works: [.nothing]),
    // What would exchange, accept or end a call that nobody named is refused.
    PlanRow(
        name: "hold one of two", letters: "AH", actions: [.hold("A")], works: [.refused(.wouldExchangeOthers)]),
    PlanRow(
        name: "resume one of two", letters: "AH", actions: [.resume("H")], works: [.refused(.wouldExchangeOthers)]),
    PlanRow(
        name: "hold a member", letters: "AB", actions: [.hold("A")], works: [.refused(.wouldExchangeOthers)],
        conference: true),
    PlanRow(
        name: "resume a member", letters: "HI", actions: [.resume("H")], works: [.refused(.wouldExchangeOthers)],
        conference: true),
    PlanRow(name: "hold while one waits", letters: "AW", actions: [.hold("A")], works: [.refused(.callWaits)]),
    PlanRow(name: "resume while one waits", letters: "HW", actions: [.resume("H")], works: [.refused(.callWaits)]),
    PlanRow(
        name: "exchange while one waits", letters: "AHW", actions: [.hold("A"), .resume("H")],
        works: [.refused(.callWaits)]),
    PlanRow(name: "hold while dialing", letters: "AD", actions: [.hold("A")], works: [.refused(.dialing)]),
    PlanRow(name: "answer while dialing", letters: "DW", actions: [.answer("W")], works: [.refused(.dialing)]),
    PlanRow(
        name: "answer without a hold", letters: "AW", actions: [.answer("W")],
        works: [.refused(.wouldExchangeOthers)]),
    PlanRow(name: "answer a held one", letters: "H", actions: [.answer("H")], works: [.refused(.noService)]),
    PlanRow(
        name: "end the held one and answer", letters: "AHW", actions: [.end("H"), .answer("W")],
        works: [.service(.hangUp("H")), .refused(.wouldExchangeOthers)]),
    PlanRow(name: "join two held", letters: "HI", actions: [.join("H", with: "I")], works: [.refused(.noService)]),
    PlanRow(name: "join a waiting one", letters: "AW", actions: [.join("A", with: "W")], works: [.refused(.noService)]),
    PlanRow(
        name: "leave a held conference", letters: "HI", actions: [.leave("H")], works: [.refused(.noService)],
        conference: true),
    PlanRow(
        name: "leave beside a held call", letters: "ABH", actions: [.leave("A")],
        works: [.refused(.wouldExchangeOthers)], conference: true),
    PlanRow(
        name: "unknown", letters: "A", actions: [.unknown, .hold("X")],
        works: [.refused(.unknownCall), .refused(.unknownCall)]),
]

@Suite struct ServicePlanTests {
    @Test(arguments: rows) private func row(_ row: PlanRow) {
        let plan = ServicePlan(row.actions, among: calls(row.letters, conference: row.conference))
        #expect(plan.steps.map(\.work) == row.works)
        #expect(plan.steps.flatMap { Array($0.actions) } == Array(row.actions.indices), "each action is in one step")
    }

    /// Every transaction of up to three actions, on every set of calls that a network can have.
    @Test func nothingIsExchangedThatNobodyNamed() {
        let sets = ["A", "H", "AH", "AW", "HW", "AHW", "AB", "ABH", "ABW", "HI", "AHI", "D", "AD", "HD", "R"]
        for letters in sets {
            let there = calls(letters, conference: letters.contains("B") || letters.contains("I"))
            let one: [ModemAction] = there.flatMap { call -> [ModemAction] in
                [.hold(call.id), .resume(call.id), .answer(call.id), .end(call.id), .leave(call.id)]
            }
            for first in one {
                for second in one + [.other] {
                    for third in one + [.other] { check([first, second, third], there) }
                }
            }
        }
    }

    private func check(_ actions: [ModemAction], _ calls: [MobileCall]) {
        let plan = ServicePlan(actions, among: calls)
        var now = calls
        for step in plan.steps {
            guard case .service(let service) = step.work else { continue }
            let after = service.applied(to: now)
            let named = Set(actions[step.actions].compactMap(\.call))
            for call in now where after[call.id]?.phase != call.phase {
                // A call that leaves a conference holds the others.
                let isRest = if case .leave = service { call.isMultiparty } else { false }
                #expect(named.contains(call.id) || isRest, "\(service) changes \(call.id): \(actions) of \(calls)")
            }
            now = after
            let active = now.filter { $0.phase == .active }
            #expect(active.count < 2 || active.allSatisfy(\.isMultiparty), "\(active) after \(actions)")
        }
    }
}

extension ModemAction {
    fileprivate var call: String? {
        switch self {
        case .hold(let call), .resume(let call), .answer(let call), .end(let call), .leave(let call): call
        case .join(let call, _): call
        case .other, .unknown: nil
        }
    }
}
