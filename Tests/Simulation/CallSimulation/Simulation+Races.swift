// What happens at the very moment of a deadline, in either order, and what no shell would send.

import CallCore
import CallModel
import CallScenario

extension Simulation {
    /// Just before, at, or just after a deadline something happens that it is about: before its timer fires, or after.
    mutating func race() {
        let alarms = runner.shell.alarms.filter { alarm in
            if case .linger = alarm.timer { false } else { alarm.uptime > runner.shell.now.uptime }
        }
        guard let alarm = alarms.randomElement(using: &generator) else { return }
        let moment = alarm.uptime - 1 + UInt64(generator.number(0...2))
        runner.run("elapse \(moment - min(moment, runner.shell.now.uptime.microseconds))")
        let timerIsFirst = generator.flag()
        if timerIsFirst { runner.run("advance 0") }
        for _ in 0..<generator.number(1...2) { happen(at: alarm.timer) }
        if !timerIsFirst { runner.run("advance 0") }
    }

    private mutating func happen(at timer: TimerID) {
        switch timer {
        case .action(let id):
            let date: WallTime = 0
            runner.run(generator.oneIn(3) ? .actionFailed(id) : .actionFulfilled(id, date: date))
        case .ring(let call):
            let action = CallAction.answer(call)
            runner.run(.requested(Request([action], by: .client(":1.1")), reply: runner.nextReply))
        case .connect(let call):
            guard let provider = runner.machine.calls[call]?.provider else { return }
            report(generator.flag() ? .connected(call, at: 0) : .ended(call, at: 0, .unanswered), by: provider)
        case .audioRelease(let provider): runner.run(.audioReleased(provider))
        case .audioPrepare(let provider):
            guard let agent = runner.machine.audio.agent else { return }
            runner.run(.audioPrepared(agent, for: provider, failed: generator.flag()))
        case .lookUp(let call): lookedUp(call)
        case .screen(let call):
            runner.run(.screened(call, by: someScreener(), generator.verdict()))
        case .linger(let call):
            runner.run(.requested(Request([.end(call, reason: "")], by: .client(":1.2")), reply: runner.nextReply))
        }
    }

    /// Inputs that no shell would send.
    mutating func nonsense() {
        var input = filters && generator.flag() ? generator.inputBeforeRinging() : generator.input()
        switch input {
        case .reported(let report, let provider, _): input = .reported(report, by: provider, reply: runner.nextReply)
        case .requested(let request, _): input = .requested(request, reply: runner.nextReply)
        // The wire refuses invalid texts in a configuration, so they never reach the core.
        case .providerReconfigured(let id, _): input = .providerReconfigured(id, configuration())
        case .timerFired(.ring): input = .timerFired(.ring(someCall()))
        case .timerFired(.connect): input = .timerFired(.connect(someCall()))
        case .timerFired(.linger): input = .timerFired(.linger(someCall()))
        case .shutdownRequested, .providerRegistered, .providerLost, .providerRestarted, .providerRemoved,
            .doNotDisturbSet:
            return
        default: break
        }
        runner.run(input)
    }
}
