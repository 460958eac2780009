// ScreeningEventSource: the events of screeners and of the caller look-up.

import CallCore
import CallModel

/// Keeps track of the host's questions, and finds the event that leads to an input.
struct ScreeningEventSource {
    private var registered: Set<ScreenerID> = []
    /// All screeners so far, which are numbered from 1.
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
            guard registered.remove(id) != nil else { return .impossible("\(id) is not registered") }
            return .unregisterScreener(id)
        case .screened(let call, let id, let verdict):
            guard known.contains(id), let number = questions[id]?.lastIndex(of: call) else {
                return .impossible("\(id) was not asked about call \(call.scenarioText)")
            }
            guard answered[id, default: []].insert(call).inserted else {
                return .impossible("\(id) has answered about call \(call.scenarioText) already")
            }
            return .screen(id, question: number, verdict)
        case .lookUpExpected: return .lookUpExpected
        case .lookUpAvailable(let value):
            guard value != isThereLookUp else { return .impossible("the look-up of callers is so already") }
            isThereLookUp = value
            return .lookUp(value)
        case .lookedUp(let call, let caller):
            guard askedAbout.contains(call) else {
                return .impossible("the host did not look up the caller of \(call.scenarioText)")
            }
            return .tell(call, caller)
        default: return .impossible("the input does not concern screening")
        }
    }

    /// Notes the host's questions.
    mutating func note(_ effect: Effect) {
        switch effect {
        case .screen(let call, let id):
            questions[id, default: []].append(call.id)
            answered[id]?.remove(call.id)
        case .lookUp(let call, _): askedAbout.insert(call)
        default: break
        }
    }
}
