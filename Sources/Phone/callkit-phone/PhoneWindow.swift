// PhoneWindow: the window with its pages.

import CallClient
import CallModel
import DBus
import EventLoop
import Widgets

@LoopActor
final class PhoneWindow {
    private unowned let phone: Phone
    private let window: Window
    private let absence: AbsenceBanner
    private let calls: CallsPage
    private let keypad: KeypadPage
    private let recents: RecentsPage
    private let favorites: FavoritesPage
    private let settings: SettingsPage
    /// The page to return to after the last call.
    private var pageBefore = "keypad"
    /// The calls that were there at the last look.
    private var known: Set<ObjectPath> = []

    init(_ phone: Phone) {
        self.phone = phone
        absence = AbsenceBanner(phone)
        window = Window(
            phone.application, title: phone.localized("Phone"), banner: absence.widget, width: 400, height: 680)
        calls = CallsPage(phone)
        keypad = KeypadPage(phone)
        recents = RecentsPage(phone)
        favorites = FavoritesPage(phone)
        settings = SettingsPage(phone)
        window.add(calls.widget, "calls", title: phone.localized("Calls"), icon: "call-start-symbolic")
        window.add(keypad.widget, "keypad", title: phone.localized("Keypad"), icon: "input-dialpad-symbolic")
        window.add(recents.widget, "recents", title: phone.localized("Recents"), icon: "document-open-recent-symbolic")
        window.add(favorites.widget, "favorites", title: phone.localized("Favorites"), icon: "starred-symbolic")
        window.add(settings.widget, "settings", title: phone.localized("Settings"), icon: "emblem-system-symbolic")
        window.page = "keypad"
        window.onPage { [weak self] in self?.turned(to: $0) }
        window.onClose { [weak self] in
            self?.closed()
            return true
        }
        if phone.model.hasBegun { appeared() }
        update()
    }

    var isShown: Bool { window.isVisible }

    func present() { window.present() }

    func close() { window.close() }

    func tell(_ text: String) { window.tell(text) }

    func tellAbsence(reason: String) { absence.show(reason) }

    func ask(
        _ heading: String, _ text: String, _ choices: [Window.Choice], extra: Widget? = nil,
        chosen: @escaping @LoopActor (String) -> Void
    ) {
        window.ask(heading, text, choices, extra: extra, chosen: chosen)
    }

    func showKeypad() { window.page = "keypad" }

    /// Shows a number on the keypad.
    func dial(_ number: String) {
        keypad.show(number)
        showKeypad()
    }

    /// A window that is closed while a call goes on is only hidden: the calls stay within reach.
    private func closed() {
        window.isVisible = false
        phone.leaveIfUnused()
    }

    private func turned(to page: String) {
        if page != "calls" { pageBefore = page }
        recents.isShown = page == "recents"
    }

    // MARK: what happens

    func follow(_ change: CallSystemChange) {
        switch change {
        case .appeared: appeared()
        case .vanished, .busLost: absence.show()
        case .recentsChanged: recents.reload()
        case .changed(_, let interface, let values, _, _, _):
            if interface == Contract.recents { recents.told(values) }
            if interface == Contract.callSystem { settings.update() }
        case .directoryChanged: settings.reloadLists()
        case .resumeSuggested, .added, .removed, .identified, .ended, .filtered, .anomaly: break
        }
        if case .added(.plugin) = change { settings.update() }
        if case .changed(_, Contract.plugin, _, _, _, _) = change { settings.update() }
        update()
    }

    private func appeared() {
        absence.hide()
        recents.reload()
        favorites.reload()
        settings.update()
        settings.reloadLists()
    }

    private func update() {
        let shown = calls.update()
        keypad.update()
        let isNew = !Set(shown).isSubset(of: known)
        window.show(calls.widget, isVisible: !shown.isEmpty, count: 0)
        if isNew { window.page = "calls" }
        if shown.isEmpty, !known.isEmpty || window.page == "calls" { window.page = pageBefore }
        known = Set(shown)
        recents.update(in: window)
    }
}
