// AbsenceBanner: tells that the daemon is not there, and how to have it back.

import EventLoop
import Widgets

@LoopActor
final class AbsenceBanner {
    let widget: Revealer
    private let text = Label(isStatus: true)
    private unowned let phone: Phone

    init(_ phone: Phone) {
        self.phone = phone
        let start = PushButton(phone.localized("Start It")) { [weak phone] in phone?.startDaemon() }
        let box = Box(.horizontal, spacing: 12).add(
            text.leading().expand(horizontally: true), start.align(vertically: .center))
        widget = Revealer(box.margin(12).style("warning"))
    }

    /// - Parameter reason: why it could not be started; "" if nobody has tried.
    func show(_ reason: String = "") {
        let sentence = phone.localized("The call service is not running. Calls may go on without being shown.")
        text.text = reason.isEmpty ? sentence : "\(sentence) (\(reason))"
        widget.isRevealed = true
    }

    func hide() { widget.isRevealed = false }
}
