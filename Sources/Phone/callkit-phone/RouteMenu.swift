// RouteMenu: where calls are heard.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

/// A button that lists the outputs, as the desktop agent knows them.
@LoopActor
final class RouteMenu {
    private unowned let phone: Phone
    private lazy var button: MenuButton = MenuButton(
        phone.localized("Sound"), icon: "audio-speakers-symbolic"
    ) { [weak self] in self?.list() ?? Box(.vertical) }
    var widget: MenuButton { button }

    init(_ phone: Phone) { self.phone = phone }

    private func list() -> Widget {
        let box = Box(.vertical, spacing: 6)
        let note = Label(phone.localized("Looking for outputs…"))
        box.add(note.margin(6))
        ask(StandardInterface.properties, "GetAll", Contract.audioRoutes) { [weak self] result in
            guard let self else { return }
            guard let values = try? result.get().read(VariantDictionary.self) else {
                return note.text = phone.localized("The desktop agent, which chooses outputs, is not running.")
            }
            let routes = values["Routes", default: [VariantDictionary]()]
            note.text = routes.isEmpty ? phone.localized("There is no output of sound.") : ""
            for route in routes { box.add(choice(route, current: values["Current", default: ""])) }
        }
        return box
    }

    private func choice(_ route: VariantDictionary, current: String) -> Widget {
        let id = route["id", default: ""]
        let button = ToggleButton(route["name", default: id].displayable) { [weak self] _ in
            guard let self else { return }
            self.button.close()
            ask(Contract.audioRoutes, "Choose", id) { [weak self] result in
                guard let self, case .failure(let error) = result else { return }
                phone.window?.tell("\(phone.localized("Sound")): \(error.message.displayable)")
            }
        }
        button.isOn = id == current
        button.isSensitive = route["available", default: true]
        return button
    }

    private func ask(
        _ interface: String, _ member: String, _ argument: String,
        answered: @escaping @LoopActor (Result<Message, DBusError>) -> Void
    ) {
        guard let bus = phone.model.session.bus,
            let message = try? Message.call(
                to: Contract.desktopBusName, at: Phone.desktop, interface, member, argument)
        else { return answered(.failure(.disconnected)) }
        message.autoStart = false
        bus.call(message, timeout: .seconds(10), reply: answered)
    }
}
