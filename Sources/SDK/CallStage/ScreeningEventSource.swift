// What those can do who are asked about a call before it rings.

import CallCore
import CallModel

/// Keeps track of who was asked what, and finds the event that leads to an input.
struct ScreeningEventSource {
    private var registered: Set<ScreenerID> = []
    /// Those that are or were there, which are counted from 1.
    private var known: Set<ScreenerID> = []
    private var questions: [ScreenerID: [CallID]] = [:]
    private var answered: [ScreenerID: Set<CallID>] = [:]
    private var isThereLookUp = false
    private var askedAbout: Set<CallID> = []

    mutating func event(for input: Input) -> StageEvent {
        switch input {
        case .screenerRegistered(let id):
            guard id.number == UInt64(known.count) + 1 else {
                return .impossible("the next screener is s\(known.count + 1)")
            }
            known.insert(id)
            registered.insert(id)
            return .registerScreener(id)
        case .screenerLost(let id):
            guard registered.remove(id) != nil else { return .impossible("\(id) is no screener") }
            return .unregisterScreener(id)
        case .screened(let call, let id, let verdict):
            guard known.contains(id), let number = questions[id]?.firstIndex(of: call) else {
                return .impossible("\(id) was not asked about call \(call.scenarioText)")
            }
            guard answered[id, default: []].insert(call).inserted else {
                return .impossible("\(id) has answered about call \(call.scenarioText) already")
            }
            return .screen(id, question: number, verdict)
        case .lookUpAvailable(let value):
            guard value != isThereLookUp else { return .impossible("that somebody knows callers is so already") }
            isThereLookUp = value
            return .lookUp(value)
        case .lookedUp(let call, let caller):
            guard askedAbout.contains(call) else {
                return .impossible("nobody asked who calls as \(call.scenarioText)")
            }
            return .tell(call, caller)
        default: return .impossible("that is not about screening")
        }
    }

    /// Takes note of what is asked.
    mutating func note(_ effect: Effect) {
        switch effect {
        case .screen(let call, let id): questions[id, default: []].append(call)
        case .lookUp(let call, _): askedAbout.insert(call)
        default: break
        }
    }
}
