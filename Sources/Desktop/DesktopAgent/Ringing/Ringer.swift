// Ringer: what is heard of calls beside voices.

import CallClient
import CallModel
package import DBus
package import EventLoop
import Sound

/// Rings, and plays the tones of calls: call waiting, ringback, busy, the end. One lasting sound at a time.
@LoopActor
package final class Ringer: DesktopPart {
    package let name = "ringing"
    /// Called when `isRinging` has changed.
    var onRingingChanged: (@LoopActor () -> Void)?

    private let context: DesktopContext
    private let choice: RingtoneChoice
    private let vibration = Vibration()
    private let mixer: RingMixer
    private var plan = RingPlan.nothing
    private var lasting: SoundPlayer? {
        didSet { tellIfChanged() }
    }
    private var short: SoundPlayer?
    /// Ends a test.
    private var test: LoopTimer?
    private var wasRinging = false
    /// Waits for the identity of the call that rings, which may choose the ringtone.
    private var wait: LoopTimer?

    /// How long a ringing call may be unknown before it is heard all the same.
    private static let identityWait = Duration.milliseconds(50)
    private static let ramp = Duration.seconds(2)
    private static let testLength = Duration.seconds(10)
    /// Between attempts to play, if the sound server ends a stream.
    private static let retryPause = Duration.seconds(1)

    package init(_ context: DesktopContext) {
        self.context = context
        choice = RingtoneChoice(context)
        mixer = RingMixer(context.sound)
        vibration.onMuteChanged = { [weak self] in self?.play() }
        context.model.observe { [weak self] in self?.handle($0) }
        context.sound.observe { [weak self] change in
            switch change {
            case .ready, .lost: self?.play()
            case .event(let event): if event.subject == .playback { self?.lookAtMixer() }
            }
        }
    }

    package var status: PartStatus {
        guard let facts = context.sound.facts else { return .waiting("no sound server") }
        if let complaint { return .waiting("no ringtone is heard: \(complaint)") }
        return .ready("\(facts.name) \(facts.version), sound theme \(choice.themeName.displayable)")
    }

    /// What keeps a ringtone from being heard; nil if nothing does.
    private var complaint: String? {
        if context.settings.values.ringVolume == 0 { return "ring-volume = 0 in desktop.conf" }
        return vibration.isMute ? "the profile of feedbackd is silent or quiet" : mixer.complaint
    }

    /// Whether a ringtone is heard.
    package var isRinging: Bool {
        guard lasting?.isPlaying == true else { return false }
        if case .ringtone = plan { return true }
        return test != nil
    }

    package func connected(to bus: Bus) {
        vibration.connected(to: bus)
        choice.connected(to: bus)
    }

    package func disconnected() {
        vibration.disconnected()
        choice.disconnected()
        update()
    }

    package func settle() async {
        await context.sound.settle()
        await choice.settle()
        await mixer.read(for: role)
    }

    package func stop() {
        silence()
        vibration.stop()
    }

    /// Stops the ringtone until another call rings: a call is about to be heard.
    package func fallSilent() {
        if case .ringtone = plan { silence() }
    }

    private func lookAtMixer() {
        if isRinging { Task { await mixer.look(at: role) } }
    }

    private func tellIfChanged() {
        guard isRinging != wasRinging else { return }
        wasRinging = isRinging
        onRingingChanged?()
    }

    // MARK: calls

    private func handle(_ change: CallSystemChange) {
        if case .changed(_, _, _, _, .call(let call), .call(let before)) = change, call.hasEnded, !before.hasEnded,
            let tone = RingPlan.tone(forEndOf: call, others: context.model.state.calls.values)
        {
            playOnce(tone, role: "phone", event: "phone-hangup")
        }
        update(isIdentified: { if case .identified = change { true } else { false } }())
    }

    private func update(isIdentified: Bool = false) {
        let now = RingPlan(for: context.model.state.calls.values)
        guard now != plan else {
            if isIdentified, wait != nil { play() }
            return
        }
        plan = now
        silence()
        if case .ringtone(let path) = now {
            context.sound.wake()
            vibration.start()
            if context.model.state.calls[path]?.isIdentified == false {
                wait = LoopTimer(after: Self.identityWait) { [weak self] in self?.play() }
                return
            }
        } else if now != .nothing {
            context.sound.wake()
        }
        play()
    }

    /// Ends all lasting sounds, a test too.
    private func silence() {
        wait = nil
        test = nil
        lasting = nil
        vibration.stop()
    }

    private func play() {
        wait = nil
        lasting = nil
        switch plan {
        case .nothing: break
        case .ringtone(let path):
            guard let call = context.model.state.calls[path] else { return }
            let provider = context.model.state.provider(of: call)
            ring(contact: call.contactIdentifier, provider: provider, call.provider?.rawValue ?? "")
        case .callWaiting: lasting = player(.callWaiting, "phone", "phone-incoming-call")
        case .ringback: lasting = player(.ringback, "phone", "phone-outgoing-calling")
        }
        lasting?.onEnd = { [weak self] in self?.retry() }
    }

    /// The media role of the ringtone. Mixers show the role `event` as System Sounds; a user who mutes them wants quiet, and
    /// `status` says that no ringtone is heard. The role `phone` is worse as a rule: PulseAudio 16 plays it on a headset, if
    /// there is one, where nobody may hear it, and stops music for it, which is the user's choice. While the desktop is
    /// quiet it is right: Plasma 5.27 and others mute `event` then, and the daemon has decided that this call is heard.
    private var role: String { context.model.state.root.words("QuietSources").isEmpty ? "event" : "phone" }

    private func ring(contact: String, provider: PublishedProvider?, _ providerID: String) {
        guard context.sound.isReady, !vibration.isMute,
            let file = choice.tone(contact: contact, provider: provider, providerID: providerID)
        else { return }
        lasting = SoundPlayer(
            file,
            as: SoundUse(
                role: role, event: RingtoneChoice.event,
                volume: context.settings.values.ringVolume, loops: true, ramp: Self.ramp),
            on: context.sound)
    }

    /// Handles a stream that the server has ended.
    private func retry() {
        wait = LoopTimer(after: Self.retryPause) { [weak self] in self?.play() }
    }

    private func player(_ tone: Tone, _ role: String, _ event: String) -> SoundPlayer? {
        SoundPlayer(tone, as: SoundUse(role: role, event: event), on: context.sound)
    }

    // MARK: requests

    /// Plays the ringtone of a provider or a contact for a while.
    func beginTest(of id: String) throws(DBusError) {
        guard plan == .nothing, !context.model.state.calls.values.contains(where: \.isLive) else {
            throw DBusError(DBusError.Name.failed, "a call goes on")
        }
        context.sound.wake()
        silence()
        test = LoopTimer(after: Self.testLength) { [weak self] in self?.endTest() }
        let provider = context.model.state.providers.values.first { $0.id.rawValue == id }
        ring(contact: id, provider: provider, id)
        guard lasting != nil else {
            test = nil
            let reason = context.sound.isReady ? "there is no ringtone" : "there is no sound server"
            throw DBusError(DBusError.Name.failed, reason)
        }
        lasting?.onEnd = { [weak self] in self?.endTest() }
    }

    func endTest() {
        guard test != nil else { return }
        silence()
    }

    /// Plays the tone of a key on this side.
    func playKey(_ text: String) throws(DBusError) {
        guard text.count == 1, let key = text.first, let tone = Tone.key(key) else {
            throw DBusError(DBusError.Name.invalidArgs, "key: expected one of 0–9, A–D, * and #")
        }
        context.sound.wake()
        guard playOnce(tone, role: "phone", event: "button-pressed") else {
            throw DBusError(DBusError.Name.failed, "there is no sound server")
        }
    }

    @discardableResult
    private func playOnce(_ tone: Tone, role: String, event: String) -> Bool {
        short = player(tone, role, event)
        short?.onEnd = { [weak self] in self?.short = nil }
        return short != nil
    }
}
