// DialPad: the twelve keys of a phone.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class DialPad {
    static let signs = "123456789*0#"
    let widget = Grid(columns: 3, spacing: 8)
    var pressed: @LoopActor (Character) -> Void

    init(_ phone: Phone, pressed: @escaping @LoopActor (Character) -> Void) {
        self.pressed = pressed
        let names: [Character: String] = ["*": phone.localized("Star"), "#": phone.localized("Hash")]
        widget.fill(
            Self.signs.map { sign in
                let key = PushButton(String(sign)) { [weak self] in self?.pressed(sign) }
                return key.named(names[sign] ?? String(sign)).style("dial-key")
            })
    }
}

extension Phone {
    /// Has the desktop agent play the tone of a key, if it runs. Nobody misses it otherwise.
    func playKey(_ sign: Character) {
        guard
            let message = try? Message.call(
                to: Contract.desktopBusName, at: Self.desktop, Contract.desktop, "PlayKey", String(sign))
        else { return }
        message.autoStart = false
        model.session.bus?.call(message, timeout: .seconds(5)) { _ in }
    }

    /// The desktop agent's object.
    static let desktop = ObjectPath(Contract.desktopPath) ?? .root
}
