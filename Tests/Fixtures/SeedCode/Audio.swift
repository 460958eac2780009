// The sound of the seed's app, or rather where it would be.

#if canImport(CallKit)
    import AVFoundation
#else
    import OpenCallKit
#endif

var audioIsRunning = false

func configureAudioSession() {
    let session = AVAudioSession.sharedInstance()
    do {
        try session.setCategory(.playAndRecord, mode: .voiceChat, options: [])
        try session.setPreferredSampleRate(16_000)
    } catch {
        print("Error while configuring audio session: \(error)")
    }
}

func startAudio() { audioIsRunning = true }

func stopAudio() { audioIsRunning = false }
