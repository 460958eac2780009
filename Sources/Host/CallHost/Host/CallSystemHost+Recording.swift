// What happens, written to a file as a scenario that leads to the same again.

import CallCore
import CallModel
import CallScenario
public import EventLoop
import Files
import Logging

/// A recording and where it goes.
@LoopActor
final class Recorder {
    private let file: FileAppender
    private var recording: Recording

    init(to file: FileAppender, _ recording: Recording) throws(SystemError) {
        self.file = file
        self.recording = recording
        try file.append(recording.header)
    }

    func note(_ step: Step) throws(SystemError) {
        try file.append(recording.block(step.input, step.effects, at: step.moment))
    }
}

extension CallSystemHost {
    /// Records from now on if the configuration says where; to be called before anything has happened.
    ///
    /// - Throws: If the file cannot be written. If it cannot be written later, that is logged and the recording ends.
    public func startRecording() throws(SystemError) {
        guard let path = configuration.recordPath else { return }
        let scenario = Scenario(
            title: "Recorded by callkitd \(OpenCallKitVersion.text)", rules: [], policy: configuration.policy,
            deadlines: configuration.deadlines, limits: machine.limits, blocks: [])
        let recording = Recording(scenario, keepsIdentities: configuration.recordsIdentities)
        recorder = try Recorder(to: try FileAppender(path), recording)
        log.info("recording to \(path)")
    }

    /// Writes down one fact and what follows from it.
    func record(_ step: Step) {
        guard let recorder else { return }
        do throws(SystemError) {
            try recorder.note(step)
        } catch {
            log.error("the recording ends here: \(error)")
            self.recorder = nil
        }
    }
}
