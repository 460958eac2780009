// What audio agents do: they come, prepare the audio or say nothing, and go.

import CallCore
import CallModel
import CallScenario

extension Simulation {
    mutating func beAudioAgent() {
        switch generator.number(0...9) {
        case 0, 1: becomeAudioAgent()
        case 2: if let agent = runner.machine.audio.agent { runner.run(.audioAgentLost(agent)) }
        case 3: runner.run("advance \(generator.pick([1, 299, 300], or: 1))")
        default:
            if runner.machine.audio.agent == nil { return becomeAudioAgent() }
            guard let asked = runner.shell.preparations.randomElement(using: &generator) else { return }
            runner.run(.audioPrepared(asked.agent, for: asked.provider, failed: generator.oneIn(8)))
        }
    }

    private mutating func becomeAudioAgent() {
        if latestAudioAgent == 0 || !generator.oneIn(10) { latestAudioAgent += 1 }
        runner.run(.audioAgentRegistered(AudioAgentID(latestAudioAgent)))
    }
}
