// AnswerButtons: the ways to take a ringing call, and what each will do to the other calls.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class AnswerButtons {
    let widget = Box(.vertical, spacing: 8)
    private unowned let phone: Phone
    private let path: ObjectPath
    private var buttons: [(option: AnswerOptions, button: CaptionedButton)] = []
    private let silence: PushButton
    /// What the captions depend on.
    private var asked = ""

    init(_ path: ObjectPath, _ phone: Phone) {
        self.path = path
        self.phone = phone
        silence = PushButton(phone.words.silence) { [weak phone] in
            guard let phone else { return }
            phone.request(phone.words.silence, DaemonPath.system, Contract.callSystem, "SilenceRinging")
        }
        for (option, _) in AnswerOptions.words {
            let button = CaptionedButton(phone.words.button(for: option)) { [weak self] in self?.take(option) }
            button.style(option == .decline ? "destructive-action" : "call-answer", "pill")
            buttons.append((option, button))
            widget.add(button)
        }
        widget.add(silence.style("pill"))
    }

    func update(_ call: PublishedCall, among calls: [PublishedCall]) {
        for (option, button) in buttons { button.isVisible = call.answerOptions.contains(option) }
        silence.isVisible = call.ringsAloud
        widget.isVisible = !call.answerOptions.isEmpty || call.ringsAloud
        foresee(call, among: calls)
    }

    private func take(_ option: AnswerOptions) {
        let label = phone.words.button(for: option)
        if option == .decline { return phone.act(label, path, "Reject", "") }
        phone.act(label, path, "AnswerWith", Self.conflict(of: option))
    }

    private static func conflict(of option: AnswerOptions) -> VariantDictionary {
        ["conflict": option == .endAndAnswer ? "end" : "hold"]
    }

    /// Asks what each button would do now, whenever the answer may have changed.
    private func foresee(_ call: PublishedCall, among calls: [PublishedCall]) {
        let question = calls.map { "\($0.id) \($0.state) \($0.answerOptions.words)" }.joined(separator: "\n")
        guard question != asked else { return }
        asked = question
        for (option, button) in buttons where option != .decline && call.answerOptions.contains(option) {
            phone.foresee([("answer", ["call": .objectPath(path)])], options: Self.conflict(of: option), of: path) {
                [weak button] in button?.caption = $0
            }
        }
    }
}

extension Phone {
    /// What a transaction would do to calls other than `call`, as a sentence, or why it would be refused.
    func foresee(
        _ actions: [(kind: String, arguments: VariantDictionary)], options: VariantDictionary, of call: ObjectPath?,
        told: @escaping @LoopActor (String) -> Void
    ) {
        model.request(
            DaemonPath.system, Contract.callSystem, "SimulateTransaction",
            actions.map { Struct($0.kind, $0.arguments) }, options, timeout: CallSystemModel.quickTimeout
        ) { [weak self] result in
            guard let self else { return }
            switch result.flatMap({ answer in
                Result { () throws(DBusError) in try answer.read([VariantDictionary].self) }
            }) {
            case .success(let plan):
                told(plan.compactMap { self.sentence(of: $0, except: call) }.joined(separator: "\n"))
            case .failure(let error): told(refusal(error))
            }
        }
    }

    private func sentence(of step: VariantDictionary, except call: ObjectPath?) -> String? {
        let path = step["call", default: ObjectPath.root]
        guard path != call, let other = model.state.calls[path] else { return nil }
        let party = ["party": words.party(of: other)]
        let arguments = step["args", default: VariantDictionary()]
        switch step["kind", default: ""] {
        case "end": return localized("The call with {party} is ended", party)
        case "set-held" where arguments["on-hold", default: true]: return localized("{party} is put on hold", party)
        case "set-held": return localized("The call with {party} is resumed", party)
        default: return nil
        }
    }
}
