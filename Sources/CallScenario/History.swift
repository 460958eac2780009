// What must hold over time: the promises that no single moment can show.

package import CallCore
import CallModel

/// Watches every input and effect of one course of events.
package struct History {
    private var violations: [String] = []
    package private(set) var open: Set<ReplyID> = []
    /// How often each rule led to a Perform, and each answer was given.
    package private(set) var counts: [String: Int] = [:]
    private var answered: Set<ReplyID> = []
    private var performs: [ActionID: Perform] = [:]
    private var latestAction: UInt64 = 0
    private var added: Set<CallID> = []
    private var ended: Set<CallID> = []
    private var ready: Set<ProviderID> = []
    private var audioHolder: ProviderID?
    private var audioReleasing: ProviderID?
    private var hasStopped = false

    private enum Perform { case pending, completed, timedOut }

    /// - Returns: the promises that were broken just now.
    package mutating func take(_ input: Input, _ effects: [Effect], _ world: World) -> [String] {
        defer { violations = [] }
        note(input)
        for effect in effects { check(effect, after: input, world) }
        for call in world.machine.calls.values where call.state != .ended && ended.contains(call.id) {
            violations.append("call \(call.id) came back after its end")
        }
        return violations
    }

    private mutating func note(_ input: Input) {
        switch input {
        case .providerRegistered(let id, _):
            ready.insert(id)
            forgetAudio(of: id)
        case .providerLost(let id), .providerRemoved(let id):
            ready.remove(id)
            forgetAudio(of: id)
        case .reported(_, _, let reply), .requested(_, let reply):
            if !answered.contains(reply) { open.insert(reply) }
        case .actionFulfilled(let id, _), .actionFailed(let id):
            if performs[id] == .pending { performs[id] = .completed }
        case .audioReleased(let id), .timerFired(.audioRelease(let id)):
            if audioReleasing == id { audioReleasing = nil }
        case .providerReconfigured, .timerFired, .ringingSilenced, .doNotDisturbSet, .shutdownRequested: break
        }
    }

    private mutating func forgetAudio(of id: ProviderID) {
        if audioHolder == id { audioHolder = nil }
        if audioReleasing == id { audioReleasing = nil }
    }

    private mutating func check(_ effect: Effect, after input: Input, _ world: World) {
        func expect(_ truth: Bool, _ what: String) {
            if !truth { violations.append(what) }
        }
        switch effect {
        case .perform(let action):
            let id = action.id.number
            counts["rule \(action.rule)", default: 0] += 1
            expect(id > latestAction, "action a\(id) is used twice")
            latestAction = id
            performs[action.id] = .pending
            expect(ready.contains(action.provider), "a\(id) goes to \(action.provider), which is not there")
            expect(
                !ended.contains(action.action.call) || action.action.kind == .end,
                "a\(id) is on a call that has ended")
            expect(action.deadline.uptime >= world.now.uptime, "the deadline of a\(id) has passed")
        case .timedOut(let id, let provider):
            expect(performs[id] == .pending, "a\(id.number) times out though it was completed or never performed")
            expect(ready.contains(provider), "a\(id.number) times out on \(provider), which is not there")
            performs[id] = .timedOut
        case .reply(let id, let reply):
            if case .failed(let error) = reply { counts[error.code.rawValue, default: 0] += 1 }
            expect(open.remove(id) != nil, "reply #\(id.number) to nobody, or twice")
            answered.insert(id)
            expect(!hasStopped || id.number > 0 && isRefusalAfterStop(effect), "reply #\(id.number) after the stop")
        case .callAdded(let id): expect(added.insert(id).inserted, "call \(id) is added twice")
        case .callChanged(let id, _):
            expect(added.contains(id), "call \(id) changes before it is added")
            expect(world.machine.calls[id] != nil, "call \(id) changes after it was removed")
        case .callRemoved(let id): expect(ended.contains(id), "call \(id) is removed before its end")
        case .callEnded(let id, _, _): expect(ended.insert(id).inserted, "call \(id) ends twice")
        case .activateAudio(let id, let call):
            expect(audioHolder == nil, "audio goes to \(id) while \(audioHolder?.rawValue ?? "") has it")
            expect(audioReleasing == nil, "audio goes to \(id) before \(audioReleasing?.rawValue ?? "") released it")
            expect(world.machine.calls[call]?.provider == id, "audio goes to \(id) for a call of another")
            audioHolder = id
        case .deactivateAudio(let id):
            expect(audioHolder == id, "\(id) is to release audio that it does not have")
            audioHolder = nil
            audioReleasing = id
        case .stop:
            expect(!hasStopped, "it stops twice")
            hasStopped = true
        case .resumeSuggested(let id):
            expect(world.machine.calls[id]?.state == .held, "a resume is suggested of a call that is not held")
        case .activeCallChanged, .anomaly, .providerAdded, .providerChanged, .providerRemoved, .reset, .audioChanged,
            .arm, .disarm:
            break
        }
    }

    /// After the stop nothing is accepted, but everything is still answered.
    private func isRefusalAfterStop(_ effect: Effect) -> Bool {
        if case .reply(_, .failed) = effect { true } else { false }
    }
}
