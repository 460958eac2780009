// Calls that hear each other.

import OpenCallKit

extension SIPCallTable {
    /// Puts a call into the conference of another one, and resumes all that hear each other then.
    mutating func join(_ number: UInt64, with other: UInt64, for action: UUID) -> [Effect] {
        guard calls[number]?.phase == .connected, calls[other]?.phase == .connected else {
            return [.fail(action, SIPCall.notConnected)]
        }
        var conference = calls[other]?.conference ?? 0
        if conference == 0 {
            lastConference += 1
            conference = lastConference
        }
        let members = members(of: conference).filter { $0 != number && $0 != other } + [other, number]
        remember(members, for: action)
        let moves = [number, other].flatMap { move($0, to: conference) }
        return moves + change(members.map { ($0, false) }, for: action)
    }

    /// Takes a call out of its conference. It goes on, and the rest of them is held.
    mutating func leave(_ number: UInt64, for action: UUID) -> [Effect] {
        let conference = calls[number]?.conference ?? 0
        guard conference != 0 else { return [.fulfil(action)] }
        let rest = members(of: conference).filter { $0 != number }
        remember(rest + [number], for: action)
        let moves = move(number, to: 0)
        return moves + change(rest.map { ($0, true) } + [(number, false)], for: action)
    }

    private mutating func remember(_ numbers: [UInt64], for action: UUID) {
        before[action] = numbers.compactMap { calls[$0] }
    }

    /// Puts the calls of an action that has failed back to where they were.
    mutating func restore(_ action: UUID) -> [Effect] {
        let calls = before.removeValue(forKey: action) ?? []
        let present = calls.filter { self.calls[$0.number]?.phase == .connected }
        let moves = present.flatMap { move($0.number, to: $0.conference) }
        let moved = present.filter { self.calls[$0.number]?.isHeld != $0.isHeld }
        return moves + perform(moved.map { ($0.number, .hold($0.isHeld)) }, for: nil)
    }

    private func members(of conference: UInt64) -> [UInt64] {
        calls.values.filter { $0.conference == conference && $0.isPresent }.map(\.number).sorted()
    }

    private mutating func move(_ number: UInt64, to conference: UInt64) -> [Effect] {
        guard calls[number]?.conference != conference else { return [] }
        calls[number]?.conference = conference
        return [.command(.group(number, conference))]
    }

    /// Holds and resumes calls. The action is fulfilled when all of it is done.
    private mutating func change(_ goals: [(call: UInt64, isHeld: Bool)], for action: UUID) -> [Effect] {
        let needed = goals.filter { calls[$0.call]?.isHeld != $0.isHeld }
        if needed.isEmpty {
            before[action] = nil
            return [.fulfil(action)]
        }
        return perform(needed.map { ($0.call, .hold($0.isHeld)) }, for: action)
    }
}
