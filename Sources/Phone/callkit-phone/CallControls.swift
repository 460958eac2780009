// CallControls: the buttons of a call that does not ring. Which of them there are is what its `Can` says.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class CallControls {
    let widget = Box(.vertical, spacing: 10)
    private unowned let phone: Phone
    private let path: ObjectPath
    private var call: PublishedCall?
    private var mergeable: [PublishedCall] = []

    private let grid = Grid(columns: 3, spacing: 8)
    private let pad: DialPad
    private let padRevealer: Revealer
    private let digits = Label().style("dial-number")
    private lazy var mute: ToggleButton = ToggleButton(
        phone.words.mute, icon: "microphone-disabled-symbolic"
    ) { [weak self] in
        guard let self else { return }
        phone.act($0 ? phone.words.mute : phone.words.unmute, path, "SetMuted", $0)
    }
    private lazy var keypad: ToggleButton = ToggleButton(
        phone.localized("Keypad"), icon: "input-dialpad-symbolic"
    ) { [weak self] in
        self?.padRevealer.isRevealed = $0
    }
    private lazy var hold: PushButton = PushButton(
        phone.words.hold, icon: "media-playback-pause-symbolic"
    ) { [weak self] in
        guard let self else { return }
        phone.act(hold.text, path, "SetHeld", call?.can.contains(.resume) != true)
    }
    private lazy var routes = RouteMenu(phone)
    private lazy var add: PushButton = PushButton(phone.localized("Add Call"), icon: "list-add-symbolic") {
        [weak self] in
        self?.phone.window?.showKeypad()
    }
    private lazy var merge: PushButton = PushButton(phone.localized("Merge"), icon: "system-users-symbolic") {
        [weak self] in
        self?.chooseMerge()
    }
    private lazy var split: PushButton = PushButton(phone.localized("Split"), icon: "edit-cut-symbolic") {
        [weak self] in
        guard let self else { return }
        phone.act(split.text, path, "Ungroup")
    }
    private lazy var transfer: PushButton = PushButton(phone.localized("Transfer"), icon: "go-next-symbolic") {
        [weak self] in
        self?.chooseTransfer()
    }
    private lazy var send: PushButton = PushButton(phone.words.sendDigits, icon: "mail-send-symbolic") { [weak self] in
        guard let self else { return }
        phone.act(send.text, path, "SendWaitingDigits")
    }
    private lazy var accept: PushButton = PushButton(phone.localized("Accept Transfer"), icon: "object-select-symbolic")
    {
        [weak self] in
        self?.answerTransfer(accepts: true)
    }
    private lazy var refuse: PushButton = PushButton(phone.localized("Decline Transfer"), icon: "window-close-symbolic")
    {
        [weak self] in
        self?.answerTransfer(accepts: false)
    }
    private lazy var end: PushButton = PushButton(phone.words.hangUp) { [weak self] in
        guard let self else { return }
        phone.act(phone.words.hangUp, path, "End")
    }

    init(_ path: ObjectPath, _ phone: Phone) {
        self.path = path
        self.phone = phone
        pad = DialPad(phone) { _ in }
        padRevealer = Revealer(Box(.vertical, spacing: 6).add(digits, pad.widget))
        pad.pressed = { [weak self] in _ = self?.play($0) }
        widget.add(grid, padRevealer, end.style("destructive-action", "pill"))
    }

    func update(_ call: PublishedCall, among calls: [PublishedCall]) {
        self.call = call
        let rings = !call.answerOptions.isEmpty
        mergeable = calls.filter {
            $0.id != call.id && $0.provider == call.provider && $0.can.contains(.group)
                && (call.group.isEmpty || $0.group != call.group)
        }
        mute.isOn = call.muted
        mute.text = call.muted ? phone.words.unmute : phone.words.mute
        let isResume = call.can.contains(.resume)
        let isSwap = isResume && calls.contains { $0.can.contains(.hold) }
        hold.text = isSwap ? phone.words.swap : isResume ? phone.words.resume : phone.words.hold
        hold.setIcon(
            isSwap
                ? "object-flip-vertical-symbolic"
                : isResume ? "media-playback-start-symbolic" : "media-playback-pause-symbolic")
        let isTalk = !call.can.isDisjoint(with: [.dtmf, .hold])
        let buttons: [(Widget, Bool)] = [
            (send, call.digitsWait && call.can.contains(.dtmf)), (accept, call.can.contains(.answerTransfer)),
            (refuse, call.can.contains(.answerTransfer)), (mute, call.can.contains(.mute) && isTalk),
            (keypad, call.can.contains(.dtmf)), (routes.widget, isTalk), (hold, call.can.contains(.hold) || isResume),
            (add, isTalk), (merge, call.can.contains(.group) && !mergeable.isEmpty),
            (split, call.can.contains(.ungroup)), (transfer, call.can.contains(.transfer)),
        ]
        let shown = rings ? [] : buttons.filter(\.1).map { $0.0.style("call-button") }
        grid.fill(shown)
        grid.isVisible = !shown.isEmpty
        if !call.can.contains(.dtmf) {
            keypad.isOn = false
            padRevealer.isRevealed = false
        }
        end.isVisible = !rings && call.can.contains(.end)
        widget.isVisible = end.isVisible || grid.isVisible
    }

    /// Sends a touch tone. False if the sign is none, or if the call takes none now.
    func play(_ sign: Character) -> Bool {
        guard let call, call.can.contains(.dtmf), DialPad.signs.contains(sign) else { return false }
        digits.text = String((digits.text + String(sign)).suffix(24))
        phone.act(phone.localized("Keypad"), path, "PlayDTMF", String(sign))
        phone.playKey(sign)
        return true
    }

    private func chooseMerge() {
        let others = mergeable
        guard others.count != 1 else { return merge(with: others[0]) }
        phone.window?.ask(
            phone.localized("Merge with Which Call?"), "",
            [Window.Choice("", phone.localized("Cancel"))]
                + others.prefix(6).map { Window.Choice($0.path.text, phone.words.party(of: $0)) }
        ) { [weak self] id in
            if let other = others.first(where: { $0.path.text == id }) { self?.merge(with: other) }
        }
    }

    private func merge(with other: PublishedCall) { phone.act(merge.text, path, "GroupWith", other.path) }

    private func chooseTransfer() {
        guard let call else { return }
        let number = Entry(hint: phone.localized("Number or address")) { _ in }
        let others = phone.liveCalls.filter {
            $0.id != call.id && $0.provider == call.provider && $0.can.contains(.transfer)
        }
        phone.window?.ask(
            phone.localized("Transfer {party}", ["party": phone.words.party(of: call)]),
            phone.localized("The far side goes on with whom you name. You leave the call."),
            [Window.Choice("cancel", phone.localized("Cancel"))]
                + others.prefix(4).map {
                    Window.Choice(
                        $0.path.text, phone.localized("Connect with {party}", ["party": phone.words.party(of: $0)]))
                }
                + [Window.Choice("transfer", phone.localized("Transfer"))],
            extra: number
        ) { [weak self] id in
            guard let self else { return }
            if id == "transfer", !number.text.isEmpty {
                perform(phone.localized("Transfer"), "transfer", ["to": .string(number.text)])
            } else if let other = others.first(where: { $0.path.text == id }) {
                perform(phone.localized("Transfer"), "transfer-to", ["other": .objectPath(other.path)])
            }
        }
    }

    private func answerTransfer(accepts: Bool) {
        guard let handle = call?.transferRequest else { return }
        let to = accepts ? Struct(handle.type.rawValue, handle.value) : Struct("", "")
        perform(accepts ? accept.text : refuse.text, "answer-transfer", ["to": to.inVariant])
    }

    private func perform(_ action: String, _ kind: String, _ arguments: VariantDictionary) {
        var arguments = arguments
        arguments["call"] = .objectPath(path)
        phone.request(
            action, DaemonPath.system, Contract.callSystem, "RequestTransaction", [Struct(kind, arguments)],
            VariantDictionary())
    }
}
