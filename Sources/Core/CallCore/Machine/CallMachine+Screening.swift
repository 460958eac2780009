// Clients that say what they make of a call, before it rings: the strictest counts, silence lets it through.

import CallModel

extension CallMachine {
    mutating func screenerRegistered(_ id: ScreenerID) {
        if !screeners.contains(id) { screeners.append(id) }
    }

    /// Nothing is awaited of it any more.
    mutating func screenerLost(_ id: ScreenerID) {
        screeners.removeAll { $0 == id }
        for call in waiting.map(\.id) { take(nil, on: call, by: id) }
    }

    /// Asks all screeners at once.
    mutating func screen(_ call: WaitingCall) {
        var call = call
        call.stage = .screening(screeners)
        wait(call)
        for screener in screeners { effects.append(.screen(call.id, by: screener)) }
        effects.append(.arm(.screen(call.id), at: now.advanced(byMilliseconds: deadlines[.screen])))
    }

    mutating func screened(_ id: CallID, by screener: ScreenerID, _ verdict: ScreeningVerdict?) {
        let isAwaited = take(verdict, on: id, by: screener)
        guard isAwaited, verdict == nil else { return }
        note(.badVerdict, .system, "screener \(screener) gave no verdict that is allow, silence or reject")
    }

    /// - Returns: whether something was awaited of the screener.
    @discardableResult
    private mutating func take(_ verdict: ScreeningVerdict?, on id: CallID, by screener: ScreenerID) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }),
            case .screening(var awaited) = waiting[index].stage, let place = awaited.firstIndex(of: screener)
        else { return false }
        awaited.remove(at: place)
        waiting[index].stage = .screening(awaited)
        if let verdict, waiting[index].screening.map({ $0.verdict.word < verdict.word }) ?? true {
            waiting[index].screening = Screening(verdict: verdict, by: screener)
        }
        if awaited.isEmpty || verdict?.word == .reject { conclude(screeningOf: index) }
        return true
    }

    mutating func screeningTimedOut(_ id: CallID) {
        guard let index = waiting.firstIndex(where: { $0.id == id }),
            case .screening(let awaited) = waiting[index].stage
        else { return }
        for screener in awaited {
            note(.slowScreener, .system, "screener \(screener) said nothing within \(deadlines[.screen]) ms")
        }
        conclude(screeningOf: index, isDue: true)
    }

    private mutating func conclude(screeningOf index: Int, isDue: Bool = false) {
        let call = waiting.remove(at: index)
        if !isDue { disarm(call) }
        guard let screening = call.screening, screening.verdict.word == .reject else { return ring(call) }
        let reason = screening.verdict.filter
        filter(call, reason, by: .screener(screening.by), "a screener rejected the call: \(reason.rawValue)")
    }
}

extension ScreenerID: CustomStringConvertible {
    public var description: String { "s\(number)" }
}
