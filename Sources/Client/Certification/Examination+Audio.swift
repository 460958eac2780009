// The points about the audio: granted and taken back.

import CallModel
import EventLoop

extension Examination {
    func examineAudio() async throws(Unmet) -> String {
        let (host, id) = try await activeCall()
        host.grantAudio(for: id)
        try await answersPing(host)
        return try await fulfilled(.end(id, reason: ""), on: host)
    }

    func examineAudioRelease() async throws(Unmet) -> String {
        try await require(.audio)
        let (host, id) = try await activeCall()
        var longest = 0
        for _ in 1...2 {
            host.grantAudio(for: id)
            try await answersPing(host)
            let answer = await host.askForAudio()
            switch answer {
            case .fulfilled(let milliseconds): longest = max(longest, milliseconds)
            // An error is a release, too: a plugin without sound need not know the method.
            case .refused: break
            case .silent, .gone: throw .failed(await describe(answer, "AudioSessionDeactivated", host))
            }
        }
        try await answersPing(host)
        return "released after \(longest) ms at most"
    }
}
