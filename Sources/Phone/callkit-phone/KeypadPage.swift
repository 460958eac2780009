// KeypadPage: dials a number, and tells what it was read as and who will carry the call.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class KeypadPage {
    let widget: Scrolled
    private unowned let phone: Phone
    private let reading = Label(isStatus: true).style("dim-label")
    private let consequence = Label().style("caption")
    private let emergency = Label().style("error", "heading")
    private lazy var number: Entry = Entry(hint: phone.localized("Number or address")) { [weak self] _ in self?.look() }
    private lazy var call: PushButton = PushButton(phone.localized("Call"), icon: "call-start-symbolic") {
        [weak self] in
        self?.dial()
    }
    private lazy var erase: PushButton = PushButton("", icon: "edit-clear-symbolic") { [weak self] in self?.eraseSign()
    }
    private lazy var carriers: MenuButton = MenuButton(
        phone.localized("Call With"), icon: "view-more-symbolic"
    ) { [weak self] in self?.choices() ?? Box(.vertical) }
    /// The providers that take the number, in the daemon's order.
    private var takers: [VariantDictionary] = []
    /// The one that the user has chosen.
    private var chosen: String?
    /// Counts the questions: an answer about what was typed before is late.
    private var question = 0
    private var lookedAt = ""

    init(_ phone: Phone) {
        self.phone = phone
        let pad = DialPad(phone) { _ in }
        let column = Box(.vertical, spacing: 10)
        widget = Scrolled(Clamp(column.margin(16), width: 340))
        let row = Box(.horizontal, spacing: 6).add(
            number.centered().style("dial-number").expand(horizontally: true),
            erase.named(phone.localized("Erase")).align(vertically: .center))
        column.add(
            row, emergency, reading, consequence, pad.widget, call.style("call-answer", "call-button"), carriers)
        pad.pressed = { [weak self] in self?.type($0) }
        number.onEnter { [weak self] in self?.dial() }
        carriers.isVisible = false
        call.isSensitive = false
    }

    func show(_ text: String) {
        number.text = text
        number.focusAtEnd()
        look()
    }

    /// What the daemon's answer depends on beside the number.
    private var surroundings: String {
        let state = phone.model.state
        let calls = phone.liveCalls.map { "\($0.id) \($0.state)" }.sorted()
        let providers = state.providers.values.map { "\($0.id) \($0.state) \($0.configuration.availability)" }.sorted()
        return (["\(phone.model.hasBegun)"] + calls + providers).joined(separator: "\n")
    }

    /// Asks again if the answer may be another one now.
    func update() {
        if surroundings != lookedAt { look() }
    }

    private func type(_ sign: Character) {
        let caret = number.caret
        let text = number.text
        let place = text.index(text.startIndex, offsetBy: min(caret, text.count))
        number.text = text[..<place] + String(sign) + text[place...]
        number.caret = caret + 1
        phone.playKey(sign)
        look()
    }

    private func eraseSign() {
        let (text, caret) = (number.text, number.caret)
        guard caret > 0, caret <= text.count else { return }
        var rest = text
        rest.remove(at: text.index(text.startIndex, offsetBy: caret - 1))
        number.text = rest
        number.caret = caret - 1
        look()
    }

    // MARK: what the daemon reads

    private func look() {
        question += 1
        lookedAt = surroundings
        let (current, text) = (question, number.text)
        guard !text.isEmpty, phone.model.hasBegun else { return found([], refusal: "") }
        phone.model.request(
            DaemonPath.system, Contract.callSystem, "FindProviders", text, timeout: CallSystemModel.quickTimeout
        ) { [weak self] result in
            guard let self, question == current else { return }
            switch result.flatMap({ answer in
                Result { () throws(DBusError) in try answer.read([VariantDictionary].self) }
            }) {
            case .success(let providers): found(providers, refusal: "")
            case .failure(let error): found([], refusal: phone.refusal(error))
            }
        }
    }

    private func found(_ providers: [VariantDictionary], refusal: String) {
        takers = providers.filter { $0["takes", default: false] }
        if !takers.contains(where: { Self.id(of: $0) == chosen }) { chosen = nil }
        let isEmergency = providers.first?["emergency", default: false] ?? false
        emergency.text = isEmergency ? phone.localized("Emergency call") : ""
        call.isSensitive = !takers.isEmpty
        carriers.isVisible = takers.count > 1
        consequence.text = ""
        guard !number.text.isEmpty else { return reading.text = "" }
        guard let taker = taker, let read = providers.first else {
            let reasons = providers.prefix(3).map {
                "\($0["name", default: ""].displayable) \($0["reason", default: ""].displayable)"
            }
            return reading.text =
                !refusal.isEmpty
                ? refusal
                : reasons.isEmpty ? phone.localized("No provider takes this.") : reasons.joined(separator: "\n")
        }
        reading.text = described(read, with: taker)
        var start: VariantDictionary = ["handle": .string(number.text)]
        start.set("provider", chosen)
        let current = question
        phone.foresee([("start", start)], options: [:], of: nil) { [weak self] text in
            if let self, question == current { consequence.text = text }
        }
    }

    private func described(_ read: VariantDictionary, with taker: VariantDictionary) -> String {
        let handle: Struct<String, String>? = try? read.value("handle")
        let written = handle?.fields.1 ?? number.text
        let normalized = read["normalized", default: ""]
        var values = [
            "number": (normalized.isEmpty ? written : normalized).displayable,
            "provider": taker["name", default: ""].displayable,
        ]
        var text = phone.localized("Calls {number} with {provider}", values)
        let later = read["post-dial", default: ""]
        if !later.isEmpty {
            values["digits"] = later
            text += "\n" + phone.localized("and then sends {digits}", values)
        }
        if let hides: Bool = try? read.value("hide-number") {
            text +=
                "\n"
                + (hides ? phone.localized("Your number is hidden") : phone.localized("Your number is shown"))
        }
        return text
    }

    private var taker: VariantDictionary? { takers.first { Self.id(of: $0) == chosen } ?? takers.first }

    private static func id(of provider: VariantDictionary) -> String { provider["provider-id", default: ""] }

    private func choices() -> Widget {
        let box = Box(.vertical, spacing: 6)
        for provider in takers {
            let button = ToggleButton(provider["name", default: ""].displayable) { [weak self] _ in
                guard let self else { return }
                chosen = Self.id(of: provider)
                carriers.close()
                look()
            }
            button.isOn = taker.map(Self.id) == Self.id(of: provider)
            box.add(button)
        }
        return box
    }

    private func dial() {
        guard !number.text.isEmpty else { return }
        var options = VariantDictionary()
        options.set("provider", chosen)
        phone.start(number.text, options: options) { [weak self] in
            self?.number.text = ""
            self?.look()
        }
    }
}
