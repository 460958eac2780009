// CallCard: one call on the page of calls.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class CallCard {
    let widget = Box(.vertical, spacing: 10)
    private unowned let phone: Phone
    private let path: ObjectPath
    private let avatar = Avatar(size: 96)
    private let name = Label().lines(3)
    private let handle = Label().lines(2)
    private let warning = Label().style("error")
    private let facts = Label().style("dim-label", "caption")
    private let standing = Label(isStatus: true)
    private let clock: CallClock
    private let answers: AnswerButtons
    private let controls: CallControls

    init(_ path: ObjectPath, _ phone: Phone) {
        self.path = path
        self.phone = phone
        clock = CallClock()
        answers = AnswerButtons(path, phone)
        controls = CallControls(path, phone)
        let inside = Box(.vertical, spacing: 6).add(
            avatar.align(horizontally: .center), name.style("call-name"), handle, warning, standing,
            clock.label.style("numeric", "title-3"), facts, answers.widget, controls.widget)
        widget.add(inside.margin(16)).style("card")
        widget.onKey { [weak self] key in
            guard case .character(let sign) = key else { return false }
            return self?.controls.play(sign) ?? false
        }
    }

    /// - Parameter isFirst: whether it is the call that matters most, and is drawn larger.
    func update(_ call: PublishedCall, among calls: [PublishedCall], isFirst: Bool) {
        let words = phone.words
        let party = call.caller.isEmpty ? words.localized("Unknown Caller") : words.party(of: call)
        avatar.resize(isFirst ? 96 : 48)
        avatar.show(call.caller.isEmpty ? "" : party, picture: call.picture)
        name.text = party
        handle.text = call.caller.isEmpty ? "" : words.handle(of: call)
        widget.style("call-emergency", on: call.emergency)
        widget.named(call.hasEnded || call.answerOptions.isEmpty ? words.ongoing(call) : words.incoming(call))
        warning.text = call.verification == .failed ? words.localized("The number may be forged") : ""
        standing.text = words.standing(of: call, heldFor: phone.model.state.call(call.heldFor))
        clock.show(call)
        facts.text = facts(of: call, among: calls).joined(separator: "\n")
        answers.update(call, among: calls)
        controls.update(call, among: calls)
    }

    private func facts(of call: PublishedCall, among calls: [PublishedCall]) -> [String] {
        let words = phone.words
        var lines = [words.kind(of: call, with: phone.providerName(of: call))]
        switch call.callerNameSource {
        case .contacts, .provider: lines.append(words.localized("From an address book"))
        case .favorite: lines.append(words.localized("One of your favorites"))
        case .directory: lines.append(words.localized("Named by a directory of callers"))
        case .network: lines.append(words.localized("The name is what the caller's network claims"))
        case .none: break
        }
        if !call.networkName.isEmpty, call.networkName != call.callerName {
            lines.append(
                words.localized("The network calls it {name}", ["name": call.networkName.displayable]))
        }
        if call.verification == .passed { lines.append(words.localized("The network vouches for the number")) }
        if let forwarding = words.forwarding(of: call) { lines.append(forwarding) }
        let others = calls.filter { !call.group.isEmpty && $0.group == call.group && $0.id != call.id }
        if !others.isEmpty {
            lines.append(
                words.localized(
                    "In a conference with {parties}",
                    ["parties": others.prefix(6).map(words.party).joined(separator: ", ")]))
        }
        if call.digitsWait, !call.waitingDigits.isEmpty {
            lines.append(words.unsent(call.waitingDigits.untilWaitSign.now.displayable))
        }
        switch call.encryption {
        case "": break
        case "none": lines.append(words.localized("Not encrypted"))
        default:
            lines.append(words.localized("Encrypted ({kind})", ["kind": call.encryption.displayable]))
        }
        if !call.qualityText.isEmpty { lines.append(call.qualityText) }
        return lines
    }
}

/// How long a call has been connected. It wakes the program once a second, and only while there is something to count.
@LoopActor
final class CallClock {
    let label = Label()
    private var since: UInt64 = 0
    private var tick: LoopTimer?

    func show(_ call: PublishedCall) {
        since = call.hasEnded ? 0 : call.connectedAtMonotonic
        update()
    }

    private func update() {
        guard since > 0 else {
            label.text = ""
            return tick = nil
        }
        let now = MonotonicTime.now.nanoseconds / 1_000
        let passed = now > since ? now - since : 0
        label.text = Self.text(seconds: passed / 1_000_000)
        tick = LoopTimer(after: .microseconds(1_000_000 - Int64(passed % 1_000_000))) { [weak self] in self?.update() }
    }

    static func text(seconds: UInt64) -> String {
        func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }
}
