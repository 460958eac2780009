// AudioSessionPart: makes the sound of the desktop give way to calls.

import CallClient
import CallModel
package import DBus
package import EventLoop
import Logging

/// The audio agent: stops the ringer, pauses players and lowers the rest before a call is heard, and restores all of it
/// half a second after the last one.
@LoopActor
package final class AudioSessionPart: DesktopPart {
    package let name = "audio"

    private let context: DesktopContext
    private let ringer: Ringer
    private let players = PlayerPauser()
    private var ducker: Ducker?
    private var isRegistered = false
    /// What the daemon said when it refused this agent; nil if it did not.
    private var refusal: String?
    private var isPrepared = false
    /// Waits whether another call follows.
    private var linger: LoopTimer?

    /// The quiet after a call.
    private static let quiet = Duration.milliseconds(500)
    /// How long players have to pause: the daemon waits 300 ms for an answer.
    private static let pausingWait = Duration.milliseconds(270)

    package init(_ context: DesktopContext, _ ringer: Ringer) {
        self.context = context
        self.ringer = ringer
        ducker = Ducker(context) { [weak self] in self?.exemptProcesses ?? [] }
        context.objects.export(self, at: Self.path, Self.interface)
        context.model.observe { [weak self] in self?.handle($0) }
    }

    package var status: PartStatus {
        if let refusal { return .waiting(refusal) }
        guard isRegistered else { return .waiting("another audio agent is registered, or there is no daemon") }
        guard isPrepared else { return .ready("nothing is paused or lowered") }
        return .ready("players paused: \(players.count), streams lowered: \(ducker?.count ?? 0)")
    }

    /// The unique name of the daemon.
    var daemon: String? { context.model.daemon }

    package func connected(to bus: Bus) { players.connected(to: bus) }

    package func disconnected() {
        // Players cannot be reached any more; streams can.
        players.disconnected()
        finish()
    }

    package func stop() async {
        linger = nil
        isPrepared = false
        await restore()
    }

    // MARK: registration

    private func handle(_ change: CallSystemChange) {
        switch change {
        case .appeared: register()
        case .changed(_, interface: Contract.audioSession, let values, _, _, _):
            // The agent that was there has left.
            if !isRegistered, values["Agent", default: "?"] == "" { register() }
        case .vanished, .busLost:
            isRegistered = false
            finish()
        default: break
        }
        pauseForRinging()
    }

    private func register() {
        let options: VariantDictionary = ["name": "callkit-desktop"]
        context.model.request(
            DaemonPath.system, Contract.callSystem, "RegisterAudioAgent", Self.path, options,
            timeout: CallSystemModel.quickTimeout
        ) { [weak self] result in
            self?.registered(result.map { _ in })
        }
    }

    private func registered(_ result: Result<Void, DBusError>) {
        let former = refusal
        refusal = nil
        switch result {
        case .success: isRegistered = true
        case .failure(let error) where error.name == ErrorCode.accessDenied.busName:
            refusal = error.message
            if refusal != former { context.log.warning("nothing is paused or lowered: \(error.message)") }
        case .failure: break
        }
    }

    private var exemptProcesses: Set<UInt32> {
        players.pids.union(context.model.state.plugins.values.map { $0.number("Pid") })
    }

    // MARK: the session

    func prepare(_ answer: @escaping @LoopActor () -> Void) {
        linger = nil
        isPrepared = true
        ringer.fallSilent()
        let timer = LoopTimer(after: Self.pausingWait, handler: answer)
        Task {
            await players.pause()
            if isPrepared { await ducker?.duck() }
            timer.cancel()
            answer()
        }
    }

    func finish() {
        guard isPrepared else { return }
        linger = LoopTimer(after: Self.quiet) { [weak self] in
            guard let self else { return }
            isPrepared = false
            Task { await self.restore() }
        }
    }

    private func restore() async {
        await ducker?.restore()
        await players.resume()
    }

    /// Pauses players while a call rings aloud, if the user wants that.
    private func pauseForRinging() {
        guard context.settings.values.pausesPlayersForRinging, !isPrepared else { return }
        let rings = context.model.state.calls.values.contains {
            $0.state == .ringing && $0.ringMode == .audible
        }
        guard rings else { return finishRinging() }
        guard !isPausedForRinging else { return }
        isPausedForRinging = true
        Task { await players.pause() }
    }

    private var isPausedForRinging = false

    private func finishRinging() {
        guard isPausedForRinging else { return }
        isPausedForRinging = false
        isPrepared = true
        finish()
    }
}
