// The place for Hotline's audio. The session is configured before an action is fulfilled, and used once it is granted.

import OpenCallKit

@MainActor
enum Audio {
    private(set) static var isRunning = false

    static func configureSession() {
        do {
            try AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: .voiceChat, options: [])
        } catch {
            print("Hotline: the audio session was not configured: \(error)")
        }
    }

    static func start() { isRunning = true }

    static func stop() { isRunning = false }
}
