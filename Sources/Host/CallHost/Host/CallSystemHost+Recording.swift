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

    func note(_ input: Input, _ effects: [Effect], _ machine: CallMachine, at moment: Instant) throws(SystemError) {
        try file.append(recording.block(input, effects, machine, at: moment))
    }
}

extension CallSystemHost {
    /// Records from now on if the configuration says where; to be called before anything has happened.
    ///
    /// - Throws: if it cannot be written to. If that comes to pass later, it is logged and the recording ends.
    public func startRecording() throws(SystemError) {
        guard let path = configuration.recordPath else { return }
        let scenario = Scenario(
            title: "Recorded by callkitd \(OpenCallKitVersion.text)", rules: [], policy: configuration.policy,
            deadlines: configuration.deadlines, limits: machine.limits, blocks: [])
        let recording = Recording(scenario, keepsIdentities: configuration.recordsIdentities)
        recorder = try Recorder(to: try FileAppender(path), recording)
        log.info("recording to \(path)")
    }

    /// Writes down one input and what follows it, before it is carried out.
    func note(_ input: Input, _ effects: [Effect], at moment: Instant) {
        guard let recorder else { return }
        do throws(SystemError) {
            try recorder.note(input, effects, machine, at: moment)
        } catch {
            log.error("the recording ends here: \(error)")
            self.recorder = nil
        }
    }
}
