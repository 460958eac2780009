// MediaKeys: media keys and a headset's button answer calls and hang up.

import CallClient
import CallModel
import DBus
import EventLoop
import Logging

/// While a call rings aloud or goes on, a player of MPRIS: desktops send media keys and the buttons of headsets to the
/// player that played last. It tells that there is a call, and not whose.
@LoopActor
final class MediaKeys: DesktopPart {
    let name = "media-keys"

    /// What the one button of a headset does now.
    enum Meaning: Sendable {
        case nothing, answer, hangUp
    }

    static let busName = "org.mpris.MediaPlayer2.opencallkit"
    static let path: ObjectPath = "/org/mpris/MediaPlayer2"

    private(set) var meaning = Meaning.nothing
    /// When the button began to mean that.
    private var since = MonotonicTime.now
    private let context: DesktopContext
    private let tier: ClientTier
    private let handlers = KeyHandlers()
    private let grabbed = GrabbedKeys()
    private var bus: Bus?
    private var others: Subscription?
    /// Tells soon again that there is a call.
    private var again: LoopTimer?
    /// Between what others tell and what is told again: players that stop together are one event.
    private static let pause = Duration.milliseconds(50)

    init(_ context: DesktopContext) {
        self.context = context
        tier = ClientTier(context.model)
        context.objects.export(self, at: Self.path, MediaPlayer2.root, MediaPlayer2.player)
        context.model.observe { [weak self] _ in self?.update() }
        grabbed.onKey = { [weak self] in self?.press($0) }
    }

    var status: PartStatus {
        guard bus != nil else { return .waiting("no session bus") }
        return switch meaning {
        case .nothing: .ready("go to players")
        case .answer: .ready("answer the call")
        case .hangUp: .ready("hang up")
        }
    }

    func connected(to bus: Bus) {
        self.bus = bus
        grabbed.connected(to: bus)
        update()
    }

    func disconnected() {
        bus = nil
        (others, again) = (nil, nil)
        meaning = .nothing
        grabbed.disconnected()
    }

    func stop() { disconnected() }

    // MARK: the player

    private func update() {
        guard let bus else { return }
        let calls = context.model.state.calls.values
        let now: Meaning =
            calls.contains(where: \.ringsAloud) ? .answer : calls.contains(where: \.isTalked) ? .hangUp : .nothing
        guard now != meaning else { return }
        let before = meaning
        meaning = now
        since = .now
        if now == .nothing { return giveUp(on: bus) }
        tell(["PlaybackStatus", "Metadata"])
        guard before == .nothing else { return }
        bus.requestName(Self.busName) { [weak self] result in
            if case .failure(let error) = result { self?.context.log.notice("no media keys: \(error.message)") }
        }
        grabbed.grab()
        let rule = MatchRule(path: Self.path, interface: StandardInterface.properties, member: "PropertiesChanged")
        others = bus.subscribe(rule) { [weak self] in self?.told($0) }
    }

    private func giveUp(on bus: Bus) {
        (others, again) = (nil, nil)
        tell(["PlaybackStatus", "Metadata"])
        bus.forgetName(Self.busName)
        grabbed.release()
    }

    /// gnome-settings-daemon 43 and 48 leave the keys to a player for as long as it plays, and pass them on to the next
    /// one that tells that it plays, not to one that has told so before.
    private func told(_ message: Message) {
        guard message.sender != bus?.uniqueName,
            let (_, values, _) = try? message.read(String.self, VariantDictionary.self, [String].self),
            let status: String = try? values["PlaybackStatus"]?.value(), status != "Playing"
        else { return }
        guard again == nil else { return }
        again = LoopTimer(after: Self.pause) { [weak self] in
            self?.again = nil
            self?.tell(["PlaybackStatus"])
        }
    }

    private func tell(_ properties: [String]) {
        context.objects.propertiesChanged(at: Self.path, MediaPlayer2.player.name, properties)
    }

    // MARK: keys

    /// A program asks for what a key does. It needs the same tier as for Answer and End of a call.
    func press(_ key: MediaKey, _ invocation: VoidInvocation) {
        guard meaning != .nothing else { return invocation.reply() }
        tier.check(.control, of: invocation) { [weak self] in
            Task {
                if await self?.isPressed(key, by: invocation.context.sender) == true { self?.press(key) }
                invocation.reply()
            }
        }
    }

    /// Programs pause players by themselves, for instance when the screen is locked or another phone rings.
    private func isPressed(_ key: MediaKey, by sender: String?) async -> Bool {
        guard key == .pause || key == .stop else { return true }
        guard let bus, let sender else { return false }
        return await handlers.contains(sender, on: bus)
    }

    /// A key that was meant for something else just before does nothing: a call ends by itself, or rings, while somebody
    /// reaches for the button.
    private func press(_ key: MediaKey) {
        guard MonotonicTime.now.duration(since: since) >= context.deadlines[.key] else { return }
        guard let key = key.callKey(meaning) else { return }
        context.model.press(key) { [log = context.log] result in
            if case .failure(let error) = result { log.notice("the key \(key.rawValue) failed: \(error.message)") }
        }
    }
}

/// A key of players.
enum MediaKey: Sendable {
    /// Play, or a button that plays and pauses in turn.
    case play
    /// A headset sends this in place of `play` if it believes that something plays, such as the ringtone; Plasma too.
    case pause
    case stop

    /// What the key does to calls.
    fileprivate func callKey(_ meaning: MediaKeys.Meaning) -> CallKey? {
        switch (meaning, self) {
        case (.nothing, _): nil
        case (.answer, .stop): .decline
        case (.answer, _): .answer
        case (.hangUp, _): .hangUp
        }
    }
}
