// The parts of AVFAudio beside the session's configuration: routes, notifications, and the permission to record.

import OpenCallKitTestKit
import Testing

@testable import OpenCallKitPort

@Suite struct AudioTests {
    @Test func routes() async throws {
        try await TestHost.run { _ in
            let session = AVAudioSession.sharedInstance()
            #expect(
                session.currentRoute.inputs == [] && session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
            #expect(throws: CXError.self) { try session.overrideOutputAudioPort(.speaker) }
            try session.overrideOutputAudioPort(.none)
            try session.setCategory(.playAndRecord)
            try session.overrideOutputAudioPort(.speaker)
            #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
            #expect(session.currentRoute.inputs == session.availableInputs)
            try session.setCategory(.record)
            #expect(session.currentRoute.outputs == [])
        }
    }

    @Test func inputs() async throws {
        let session = AVAudioSession.sharedInstance()
        try await TestHost.run { _ in
            let inputs = try #require(session.availableInputs)
            #expect(inputs.map(\.portType) == (session.isInputAvailable ? [.builtInMic] : []))
            #expect(throws: CXError.self) { try session.setPreferredInput(.speaker) }
            for input in inputs {
                try session.setPreferredInput(nil)
                #expect(session.preferredInput == nil)
                try session.setPreferredInput(input)
                #expect(session.preferredInput == input)
            }
            session.preferredInputID = AVAudioSessionPortDescription.microphone.uid
        }
        try await TestHost.run { _ in #expect(session.preferredInput == nil, "an earlier test has chosen it") }
    }

    /// Who can reach an audio server, or a device, may record.
    @Test func microphone() throws {
        let folder = try Folder(["pipewire-0": Data(), "pcmC0D0p": Data()])
        let recorder = try Folder(["pcmC0D0c": Data()])
        let (nowhere, here) = ("/nonexistent", folder.path(""))
        #expect(!Microphone.isReachable([:], devices: nowhere))
        #expect(Microphone.isReachable(["XDG_RUNTIME_DIR": here], devices: nowhere))
        #expect(!Microphone.isReachable(["XDG_RUNTIME_DIR": here, "PIPEWIRE_REMOTE": "other"], devices: nowhere))
        #expect(Microphone.isReachable(["PIPEWIRE_REMOTE": folder.path("pipewire-0")], devices: nowhere))
        #expect(Microphone.isReachable(["PULSE_SERVER": "unix:" + folder.path("pipewire-0")], devices: nowhere))
        #expect(Microphone.isReachable(["PULSE_SERVER": "tcp:studio"], devices: nowhere))
        #expect(!Microphone.isReachable(["PULSE_SERVER": "/nonexistent/native"], devices: nowhere))
        #expect(!Microphone.isReachable([:], devices: here), "a device that plays is none that records")
        #expect(Microphone.isReachable([:], devices: recorder.path("")))
    }

    @Test func permission() async {
        let session = AVAudioSession.sharedInstance()
        let isGranted = await AVAudioApplication.requestRecordPermission()
        #expect(isGranted == session.isInputAvailable)
        #expect((session.recordPermission == .granted) == isGranted)
        #expect(AVAudioApplication.shared.recordPermission == (isGranted ? .granted : .denied))
        let answer = await withCheckedContinuation { continuation in
            session.requestRecordPermission { answer in
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.resume(returning: answer)
            }
        }
        #expect(answer == isGranted)
    }

    @Test func notifications() {
        let types: [UInt] = [1, 0]
        #expect(types.map(AVAudioSession.InterruptionType.init(rawValue:)) == [.began, .ended])
        #expect(AVAudioSession.interruptionNotification.rawValue == "AVAudioSessionInterruptionNotification")
        #expect(AVAudioSessionInterruptionTypeKey == "AVAudioSessionInterruptionTypeKey")
        #expect(AVAudioSession.RouteChangeReason(rawValue: 4) == .override)
        #expect(AVAudioSession.PortOverride.speaker.rawValue == 0x7370_6B72)
    }
}
