// What clients ask for.

package import CallCore
import CallModel
import CallScenario

extension Simulation {
    mutating func request() {
        runner.run(.requested(randomRequest(), reply: runner.nextReply))
    }

    package mutating func randomRequest() -> Request {
        let count = generator.oneIn(60) ? 0 : generator.pick([1, 1, 1, 1, 1, 1, 2, 3], or: 1)
        let asker: Requester =
            generator.oneIn(8) ? .provider(someProvider()) : .client(generator.pick(Self.clients, or: ":1.1"))
        var request = Request((0..<count).map { _ in action() }, by: asker)
        if generator.oneIn(3) { request.conflict = generator.pick(ConflictPolicy.allCases, or: .hold) }
        if generator.oneIn(6) { request.replyMode = .accepted }
        if generator.oneIn(6) { request.timeout = UInt32(generator.number(0...9_000)) }
        if generator.oneIn(30) { request.requiredState = generator.pick(CallState.allCases, or: .ringing) }
        return request
    }

    private mutating func action() -> CallAction {
        let call = someCall()
        switch mood == .groups && generator.oneIn(3) ? 99 : generator.number(0...22) {
        case 0...3: return start()
        case 4...8: return .answer(some { $0.state == .ringing } ?? call)
        case 9, 10: return .end(call, reason: generator.oneIn(8) ? "busy" : "")
        case 11, 12: return .setHeld(some { $0.state == .active } ?? call, true)
        case 13, 14: return .setHeld(some { $0.state == .held } ?? call, false)
        case 15: return .setMuted(some(\.hasConnected) ?? call, generator.flag())
        case 16: return .playDTMF(some { $0.state == .active } ?? call, digits: "1", tone: .singleTone)
        case 21:
            let one = some { $0.state == .active || $0.state == .held } ?? call
            let other = generator.flag() ? nil : partner(of: one) ?? someCall()
            return .transfer(one, other.map { .call($0) } ?? .handle(SeededGenerator.plainHandle))
        case 22:
            let one = some { $0.transferRequest != nil } ?? call
            let asked = runner.machine.calls[one]?.transferRequest
            let handle = generator.oneIn(6) ? SeededGenerator.plainHandle : asked
            return .answerTransfer(one, to: generator.oneIn(3) ? nil : handle)
        case 17:
            let isTranslating = !generator.oneIn(3)
            let languages = Languages(local: "en-GB", remote: generator.flag() ? "sv" : "de")
            return .setTranslating(
                some(\.hasConnected) ?? call, isTranslating, !isTranslating && generator.flag() ? .open : languages)
        default:
            let one = some { $0.state == .active || $0.state == .held }
            return .setGroup(one ?? call, with: generator.oneIn(5) ? nil : partner(of: one) ?? someCall())
        }
    }

    private mutating func start() -> CallAction {
        let isEmergency = generator.oneIn(mood == .emergencies ? 5 : 40)
        let number = isEmergency ? generator.pick(["112", "112", "1-12", "333", "911"], or: "112") : "100"
        let handle = (try? Handle(type: .phoneNumber, value: number)) ?? SeededGenerator.plainHandle
        let call = freshCall()
        let provider = generator.flag() ? nil : someProvider()
        let digits = generator.oneIn(9) ? ",12" : ""
        return .start(
            call, StartRequest(handle, provider: provider, video: generator.oneIn(9), postDial: digits))
    }

    /// Another call of the same provider.
    private mutating func partner(of id: CallID?) -> CallID? {
        guard let id, let call = runner.machine.calls[id] else { return nil }
        return some { $0.provider == call.provider && $0.id != id && $0.hasConnected }
    }
}
