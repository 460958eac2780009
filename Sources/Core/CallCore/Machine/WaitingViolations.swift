// The invariants of calls that wait to ring.

import CallModel

extension CallMachine {
    /// The violated invariants about calls that have not been announced, each as a sentence.
    func waitingViolations() -> [String] {
        var found: [String] = []
        func expect(_ truth: Bool, _ what: @autoclosure () -> String) {
            if !truth { found.append(what()) }
        }
        for call in admission.undecided {
            let name = call.rings ? "call \(call.id) that is to ring on" : "call \(call.id) that waits to ring"
            if call.rings {
                expect(calls.standing(of: call.id)?.state == .ringing, "\(name) does not ring")
                expect(calls[call.id]?.caller == Caller(call.update.remoteHandle), "\(name) is of another caller")
            } else {
                expect(calls[call.id] == nil && !knew(call.id), "\(name) is there already")
            }
            expect(providers[call.provider]?.isReady == true, "\(name) has no provider")
            expect(call.update.emergency != true, "\(name) is an emergency call")
            expect(call.reports.count <= limits.waitingReports, "\(name) has \(call.reports.count) reports")
            switch call.stage {
            case .lookUp: expect(standing.canLookUp || admission.isLookUpExpected, "\(name) is looked up by nobody")
            case .screening(let awaited):
                expect(!awaited.isEmpty, "\(name) is screened by nobody")
                expect(awaited.allSatisfy(admission.screeners.contains), "\(name) is screened by somebody who has left")
                expect(call.screening?.verdict.word != .reject, "\(name) was rejected already")
                expect(!call.caller.isAllowed && call.caller.blockedBy == nil, "\(name) is on a list")
            }
        }
        let undecided = admission.undecided
        expect(Set(undecided.map(\.id)).count == undecided.count, "two calls that wait to ring have one identifier")
        expect(!standing.isShuttingDown || undecided.isEmpty, "a call waits to ring during the shutdown")
        expect(waiting.count <= 2 * limits.calls, "\(waiting.count) calls wait to ring")
        let remembered = admission.turnedAway.count
        expect(remembered <= limits.rememberedCallers, "\(remembered) callers are remembered")
        return found
    }
}
