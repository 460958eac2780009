// AudioPoints: the points about the audio: granted and taken back.

import CallModel
import EventLoop

@LoopActor
struct AudioPoints: PointGroup {
    let examination: Examination

    func examineAudioDevices() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        // What the plugin does with the call's start or answer is done when it answers a ping after it.
        try await answersPing(host)
        let devices = SoundTrap.devices(of: host.pid)
        guard devices.isEmpty else {
            throw .failed("opened before AudioSessionActivated: \(devices.joined(separator: ", "))")
        }
        guard host.sound.visits == 0 else { throw .failed("the sound server was reached before AudioSessionActivated") }
        return try await fulfilled(.end(id, reason: ""), on: host)
    }

    func examineAudio() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        host.grantAudio(for: id)
        try await answersPing(host)
        return try await fulfilled(.end(id, reason: ""), on: host)
    }

    func examineAudioRelease() async throws(Unmet) -> String {
        try await examination.require(.audio)
        let (host, id) = try await activeCall()
        var longest = Duration.zero
        for _ in 1...2 {
            host.grantAudio(for: id)
            try await answersPing(host)
            let answer = await host.askForAudio()
            switch answer {
            case .fulfilled(let duration): longest = max(longest, duration)
            // An error is a release, too: a plugin without sound need not know the method.
            case .refused: break
            case .silent, .gone: throw .failed(await describe(answer, "AudioSessionDeactivated", host))
            }
        }
        try await answersPing(host)
        return "released after \(longest.text) at most"
    }
}
